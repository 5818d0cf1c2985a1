/*
 * fuzz_jdwp.c - what a debugger sends, to a JVM whose memory holds anything.
 *
 * The first byte of the input chooses the memory, the rest comes as bytes of the connection, behind
 * a handshake that is right. The memory is made by a number: words that are classes, objects,
 * Symbols, small numbers or nothing of that, and pages that are missing. The layout of the VM is
 * that of no VM. Each reply must be as long as it says, and a reply with an error must have no
 * data.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/be.h"
#include "fuzz.h"
#include "jdwp/jdwp_session.h"
#include "jdwp/jdwp_vm.h"
#include "snapshot/snapshot.h"

#define AT UINT64_C(0x7f0000000000)

enum {
    BYTES = 1 << 20,
    KLASS_BYTES = 0x200,
    OBJECTS_AT = 0x10000,
    SYMBOLS_AT = 0x20000,
    PAGE = 4096,
    THREADS = 3,
    FRAMES = 4,
    COMMANDS_MAX = 64,
};

static const char *const signatures[] = {
    "Ljava/lang/Object;",
    "Ljava/lang/String;",
    "Ljava/lang/Class;",
    "[I",
    "[J",
    "[Ljava/lang/Object;",
    "LFoo$Bar;",
    "LFoo;",
    "Ljava/lang/Thread;",
    "Ljava/lang/ThreadGroup;",
    "Ljava/lang/ClassLoader;",
    "Ljava/lang/Module;",
};
enum { CLASSES = sizeof(signatures) / sizeof(*signatures) };

struct memory {
    struct mem mem;
    uint64_t seed;
};

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    return (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

static uint64_t word_at(const struct memory *m, uint64_t at)
{
    uint64_t value = mix(at + m->seed), pick = value >> 60;
    bool is_head = at >= OBJECTS_AT && at < SYMBOLS_AT && (at & 8) != 0;
    if (is_head || pick < 4)
        return AT + (value >> 8) % CLASSES * KLASS_BYTES;
    if (pick < 7)
        return AT + OBJECTS_AT + ((value >> 8) & 0xfff0);
    if (pick < 9)
        return AT + SYMBOLS_AT + ((value >> 8) & 0xfff0);
    if (pick < 13)
        return value & 7;
    return value;
}

static int read_memory(struct mem *mem, uint64_t addr, void *dst, size_t len)
{
    const struct memory *m = (const struct memory *)mem;
    if (addr - AT >= BYTES || len > BYTES - (addr - AT) ||
        mix((addr - AT) / PAGE * m->seed) % 32 == 0)
        return -EFAULT;
    for (size_t i = 0; i < len;) {
        uint64_t at = addr - AT + i, word = word_at(m, at & ~UINT64_C(7));
        size_t from = at & 7, n = 8 - from < len - i ? 8 - from : len - i;
        memcpy((unsigned char *)dst + i, (unsigned char *)&word + from, n);
        i += n;
    }
    return 0;
}

static const struct mem_ops memory_ops = {.read = read_memory};

static const struct hs_layout layout = {.version = 17,
                                        .klass_mirror = 40,
                                        .klass_name = 24,
                                        .klass_source_file = -1,
                                        .klass_constants = 72,
                                        .symbol_length = 0,
                                        .symbol_body = 8,
                                        .pool_size = 24,
                                        .pool_length = 8,
                                        .pool_holder = 16,
                                        .pool_source_file = 12,
                                        .method_const = 8,
                                        .method_access = 16,
                                        .const_constants = 8,
                                        .const_flags = 18,
                                        .const_code_size = 20,
                                        .const_max_locals = 22,
                                        .const_name = 24,
                                        .const_signature = 26,
                                        .const_full_size = 28,
                                        .const_size = 32,
                                        .interp = {.locals = -7}};

static void make_vm(struct jdwp_vm *vm)
{
    vm->class_count = CLASSES;
    vm->classes = calloc(CLASSES, sizeof(*vm->classes));
    for (uint32_t i = 0; vm->classes && i < CLASSES; i++) {
        vm->classes[i] =
            (struct jdwp_class){.klass = AT + (uint64_t)i * KLASS_BYTES,
                                .signature = strdup(signatures[i]),
                                .type = *signatures[i] == '[' ? JDWP_TYPE_ARRAY : JDWP_TYPE_CLASS};
        if (!vm->classes[i].signature)
            abort();
    }
    vm->facts = (struct jdwp_facts){.methods = 80,
                                    .interfaces = 88,
                                    .state = 96,
                                    .access = 100,
                                    .modifiers = 104,
                                    .layout_helper = 108,
                                    .generic = -1,
                                    .generic_in_pool = 14,
                                    .minor = -1,
                                    .major = -1,
                                    .minor_in_pool = 10,
                                    .major_in_pool = 12,
                                    .debug_extension = 112,
                                    .mirror_klass = 16,
                                    .access_bytes = 4,
                                    .linked = 2,
                                    .initialized = 4,
                                    .failed = 5,
                                    .kind = -1,
                                    .flat_kind = -1};
    vm->method_facts = (struct method_debug_facts){.target = &vm->snapshot->target,
                                                   .is_known = true,
                                                   .has_variables = 4,
                                                   .has_exceptions = 8,
                                                   .has_checked = 2,
                                                   .has_parameters = 32,
                                                   .has_generic = 16,
                                                   .annotations = {128, 256, 512, 1024},
                                                   .start_bci = 0,
                                                   .length = 2,
                                                   .name = 4,
                                                   .signature = 6,
                                                   .generic = 8,
                                                   .slot = 10,
                                                   .row_bytes = 12};
    if (!vm->classes || jdwp_vm_index(vm) != 0)
        abort();
}

/* Threads with frames, whose methods and slots are where the memory is. */
static void make_threads(struct snapshot *s, struct snapshot_thread threads[THREADS],
                         struct java_thread rows[THREADS],
                         struct snapshot_frame frames[THREADS][FRAMES])
{
    s->threads = threads;
    s->thread_count = THREADS;
    s->java = (struct java_threads){.rows = rows, .count = THREADS, .platform_count = THREADS};
    for (uint32_t i = 0; i < THREADS; i++) {
        rows[i] = (struct java_thread){.addr = AT + 0x40000,
                                       .object = AT + OBJECTS_AT + (uint64_t)i * 16,
                                       .stack_low = AT + 0x80000,
                                       .stack_high = AT + 0x90000,
                                       .status = 0x400 | i};
        threads[i] = (struct snapshot_thread){
            .java = &rows[i], .frames = frames[i], .frame_count = FRAMES, .cause = -1};
        for (uint32_t n = 0; n < FRAMES; n++) {
            frames[i][n] = (struct snapshot_frame){
                .at = {.method = AT + 0x30000 + (uint64_t)(i * FRAMES + n) * 64,
                       .fp = AT + 0x80100 + (uint64_t)n * 256,
                       .bci = (int32_t)n,
                       .kind = n == 0 ? WALK_KIND_C2 : WALK_KIND_INTERPRETED}};
            frames[i][n].method = java_methods_get(&s->methods, frames[i][n].at.method);
        }
    }
}

static void check_reply(const struct jdwp_session *s, bool is_greeting)
{
    size_t len;
    const uint8_t *bytes = jdwp_session_waiting(s, &len);
    if (is_greeting)
        return;
    if (len < JDWP_WIRE_HEAD || be_4(bytes) != len || bytes[8] != 0x80 ||
        (be_2(bytes + 9) != 0 && len != JDWP_WIRE_HEAD))
        abort();
}

static void talk(struct jdwp_vm *vm, const uint8_t *bytes, size_t len)
{
    struct jdwp_session s;
    size_t at = 0, room;
    int r = 0;
    jdwp_session_init(&s, vm);
    uint8_t *to = jdwp_session_room(&s, &room);
    if (!to || room < JDWP_WIRE_HANDSHAKE_BYTES)
        abort();
    memcpy(to, JDWP_WIRE_HANDSHAKE, JDWP_WIRE_HANDSHAKE_BYTES);
    jdwp_session_took(&s, JDWP_WIRE_HANDSHAKE_BYTES);
    bool is_greeting = true;
    while (r >= 0 && s.commands < COMMANDS_MAX) {
        while ((r = jdwp_session_step(&s)) == 1 && s.commands < COMMANDS_MAX) {
            size_t waits;
            check_reply(&s, is_greeting);
            is_greeting = false;
            jdwp_session_waiting(&s, &waits);
            jdwp_session_gave(&s, waits);
        }
        to = jdwp_session_room(&s, &room);
        size_t n = len - at < room ? len - at : room;
        if (r != 0 || !to || n == 0)
            break;
        memcpy(to, bytes + at, n);
        jdwp_session_took(&s, n);
        at += n;
    }
    jdwp_session_done(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct memory memory = {.mem = {.ops = &memory_ops}, .seed = len > 0 ? bytes[0] + 1u : 1};
    struct snapshot snapshot = {.target = {.mem = &memory.mem, .layout = &layout}};
    struct snapshot_thread threads[THREADS];
    struct java_thread rows[THREADS];
    struct snapshot_frame frames[THREADS][FRAMES];
    struct jdwp_vm vm = {.snapshot = &snapshot, .description = "none"};
    snapshot.oops = (struct oops){.target = &snapshot.target,
                                  .array_length = 16,
                                  .array_data = 24,
                                  .array_oops = 24,
                                  .klass_super = 48,
                                  .fields = {.target = &snapshot.target,
                                             .array = 56,
                                             .count = 64,
                                             .stream = bytes && len > 0 && bytes[0] & 1 ? 56 : -1,
                                             .constants = 72}};
    java_methods_init(&snapshot.methods, &snapshot.target);
    make_threads(&snapshot, threads, rows, frames);
    make_vm(&vm);
    talk(&vm, bytes + (len > 0), len - (len > 0));
    jdwp_vm_close(&vm);
    java_methods_done(&snapshot.methods);
    return 0;
}
