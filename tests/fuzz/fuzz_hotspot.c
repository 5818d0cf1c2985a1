/*
 * fuzz_hotspot.c - a JVM from outside whose memory says whatever it likes: threads, stacks, locks,
 * names of methods, virtual threads, flags, properties.
 *
 * The tables, the code cache and one thread's stack are those of a recorded image
 * (tests/data/walk), or nearly so; every other address has words of the input, so that each
 * reference leads somewhere, lists have no end and no order. Input: byte 0 chooses the image, byte
 * 1 one of its stacks, and with its lowest bit that the tables are damaged as well; byte 2 is how
 * many of 4096 words of the stack and of what it leads to are damaged; the rest are the words.
 * After READS_MAX reads nothing more can be read: a loop that trusts the memory for its end does
 * not come to one. SPDX-License-Identifier: Apache-2.0
 */
#include "../unit/walkfile.h"
#include "fuzz.h"
#include "hotspot/java_locks.h"
#include "hotspot/java_methods.h"
#include "hotspot/java_props.h"
#include "hotspot/java_threads.h"
#include "hotspot/java_virtuals.h"
#include "hotspot/layout.h"
#include "hotspot/oops.h"
#include "hotspot/stopped_stack.h"
#include "hotspot/target.h"
#include "hotspot/vm_flags.h"
#include "hotspot/vm_start.h"
#include "safe/hs_calls.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

enum { WORDS = 4096, READS_MAX = 20000, THREADS_MAX = 20, FRAMES_MAX = 256, VIRTUALS_MAX = 50 };

static const char *const names[] = {"jdk8",  "jdk11", "jdk17",         "jdk21",
                                    "jdk25", "jdk26", "jdk17-aarch64", "jdk25-aarch64"};
enum { IMAGES = sizeof(names) / sizeof(*names) };

/** Memory of a recorded image, and words of the input wherever the image has none. */
struct memory {
    struct mem mem;
    struct walkfile *file;
    struct walkfile_walk *stack;
    const uint8_t *bytes;
    size_t len;
    unsigned table_rate, stack_rate; /* how many of WORDS are damaged */
    uint32_t reads;
};

/** An image, and what was read from its tables undamaged. */
struct opened {
    struct walkfile file;
    struct hotspot vm;
    struct target target;
    bool is_open;
};

static uint64_t hash_of(uint64_t word)
{
    return (word ^ word >> 29) * 0x9e3779b97f4a7c15u;
}

/* Of the word whose hash is `hash`. */
static uint8_t input_of(const struct memory *m, uint64_t hash, uint64_t addr)
{
    uint64_t word = (hash >> 20) % ((m->len + 7) / 8);
    return m->bytes[(word * 8 + addr % 8) % m->len];
}

static uint8_t input_byte(const struct memory *m, uint64_t addr)
{
    return input_of(m, hash_of(addr / 8), addr);
}

static int read_memory(struct mem *mem, uint64_t addr, void *dst, size_t len)
{
    struct memory *m = (struct memory *)mem;
    unsigned char *out = dst;
    if (m->reads++ >= READS_MAX || addr < 4096 || addr >> 48 != 0)
        return -EFAULT;
    unsigned rate = m->table_rate;
    if (mem_read(&m->file->blocks.mem, addr, dst, len) < 0) {
        rate = m->stack_rate;
        if (mem_read(&m->stack->blocks.mem, addr, dst, len) < 0)
            rate = WORDS;
    }
    for (size_t i = 0, end; i < len && rate > 0; i = end) {
        uint64_t hash = hash_of((addr + i) / 8);
        end = i + 8 - (addr + i) % 8;
        end = end < len ? end : len;
        for (size_t k = i; k < end && hash % WORDS < rate; k++)
            out[k] = input_of(m, hash, addr + k);
    }
    return 0;
}

static struct hs_calls calls;
static const struct mem_ops memory_ops = {.read = read_memory};

static void walk(struct memory *m, struct oops *o, const struct java_thread *thread,
                 const struct regs *regs, struct java_locks *locks, struct java_methods *methods,
                 uint32_t row)
{
    static struct stopped_frame frames[FRAMES_MAX];
    bool is_cut;
    int cause;
    struct hs_memory memory = {.mem = &m->mem, .layout = o->target->layout, .calls = &calls};
    struct stopped_stack_request request = {.memory = &memory,
                                            .wants_native = 1,
                                            .java_thread = thread->addr,
                                            .regs = regs,
                                            .oops = o,
                                            .virtual_object = thread->virtual_object};
    uint32_t count = stopped_stack_walk(&request, frames, FRAMES_MAX, &is_cut, &cause);
    if (count > FRAMES_MAX)
        abort();
    if (regs) { /* the same as a copy of an earlier moment */
        static struct stopped_frame past[FRAMES_MAX];
        struct stopped_stack_request copied = request;
        copied.is_past = true;
        copied.oops = NULL;
        if (stopped_stack_walk(&copied, past, FRAMES_MAX, &is_cut, &cause) > FRAMES_MAX)
            abort();
    }
    java_locks_frames(locks, row, frames, count);
    for (uint32_t i = 0; i < count && i < 8; i++) {
        const struct java_method *method = java_methods_get(methods, frames[i].method);
        if (method)
            java_methods_line(methods, method, frames[i].bci);
    }
}

static struct regs registers_of(const struct memory *m, const struct hs_layout *layout)
{
    struct regs regs = {0};
    for (size_t i = 0; i < sizeof(regs); i++)
        ((unsigned char *)&regs)[i] = input_byte(m, 4096 + i);
    regs.pc = layout->call_stub_return + regs.pc % 4096;
    regs.sp %= (uint64_t)1 << 47;
    return regs;
}

/* The recorded thread alone, whose stack is nearly right. */
static void read_recorded(struct memory *m, struct oops *o)
{
    struct java_thread recorded = {.addr = m->stack->thread};
    struct java_threads threads = {.rows = &recorded, .count = 1, .platform_count = 1};
    struct java_locks locks;
    struct java_methods methods;
    java_locks_init(&locks, o, &threads);
    java_methods_init(&methods, o->target);
    java_locks_thread(&locks, 0);
    walk(m, o, &recorded, m->stack->has_regs ? &m->stack->regs : NULL, &locks, &methods, 0);
    java_locks_finish(&locks);
    java_locks_find_deadlocks(&locks);
    java_methods_done(&methods);
    java_locks_done(&locks);
}

/* The threads that the memory claims to have. */
static void read_claimed(struct memory *m, struct oops *o)
{
    struct java_threads threads = {0};
    struct java_virtuals virtuals;
    struct java_locks locks;
    struct java_methods methods;
    struct regs regs = registers_of(m, o->target->layout);
    if (java_threads_read(o, &threads) < 0)
        return;
    java_virtuals_open(o, &virtuals);
    m->reads = 0;
    java_virtuals_read(&virtuals, o, VIRTUALS_MAX, &threads);
    java_locks_init(&locks, o, &threads);
    java_methods_init(&methods, o->target);
    m->reads = 0;
    for (uint32_t i = 0; i < threads.count && i < THREADS_MAX; i++) {
        java_locks_thread(&locks, i);
        walk(m, o, &threads.rows[i], i % 2 ? &regs : NULL, &locks, &methods, i);
    }
    java_locks_finish(&locks);
    java_locks_find_deadlocks(&locks);
    java_methods_done(&methods);
    java_locks_done(&locks);
    java_threads_done(&threads);
}

static int take_property(void *count, const char *name, const char *value)
{
    ++*(size_t *)count;
    return 0;
}

/* What a VM was started with, and the properties of its program. */
static void read_told(struct memory *m, struct oops *o)
{
    char text[256];
    struct vm_flags flags;
    struct vm_flag_row row;
    size_t properties = 0;
    uint32_t damage = 0;
    m->reads = 0;
    if (vm_flags_begin(o->target, &flags) == 0) {
        while (vm_flags_next(&flags, &row)) {
            if (!vm_flags_type_word(row.type) || !vm_flags_origin_word(row.origin) ||
                vm_flags_value(o->target, &row, text, sizeof(text)) >= (int)sizeof(text))
                abort();
        }
    }
    m->reads = 0;
    vm_start_version(o->target, text, sizeof(text));
    vm_start_command(o->target, text, sizeof(text));
    for (uint32_t i = 0; i < vm_start_count(o->target, VM_START_ARGS) && i < 8; i++)
        vm_start_item(o->target, VM_START_ARGS, i, text, sizeof(text));
    m->reads = 0;
    java_props_each(o, take_property, &properties, &damage);
}

static void read_all(struct memory *m, const struct target *target)
{
    struct oops oops;
    const char *missing;
    if (oops_init(target, &oops, &missing) < 0)
        return;
    hs_calls_forget(&calls);
    target->vm->memory.calls = &calls; /* for chunks */
    read_recorded(m, &oops);
    m->reads = 0;
    read_claimed(m, &oops);
    read_told(m, &oops);
}

static struct opened *open_image(unsigned which)
{
    static struct opened images[IMAGES];
    struct opened *o = &images[which];
    const char *missing;
    if (o->is_open)
        return o;
    walkfile_open(names[which], &o->file);
    o->vm =
        (struct hotspot){.mem = &o->file.blocks.mem, .libjvm = o->file.elf, .bias = o->file.bias};
    if (layout_load(o->vm.mem, &o->file.elf, o->file.bias, LAYOUT_walk | LAYOUT_names,
                    &o->vm.layout, &missing) < 0 ||
        target_of_vm(&o->vm, &o->target) < 0)
        abort();
    o->is_open = true;
    return o;
}

static void read_damaged(struct memory *m, struct opened *o)
{
    struct hotspot vm = {.mem = &m->mem, .libjvm = o->file.elf, .bias = o->file.bias};
    struct target target;
    const char *missing;
    if (layout_load(vm.mem, &o->file.elf, vm.bias, LAYOUT_walk | LAYOUT_names, &vm.layout,
                    &missing) < 0)
        return;
    if (target_of_vm(&vm, &target) == 0) {
        m->reads = 0;
        read_all(m, &target);
        vmtables_done(&target.tables);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    if (len < 4)
        return 0;
    struct opened *o = open_image(bytes[0] % IMAGES);
    struct memory m = {.mem = {&memory_ops}, .file = &o->file, .bytes = bytes + 3, .len = len - 3};
    m.stack = &o->file.walks[(bytes[1] >> 1) % o->file.walk_count];
    m.stack_rate = bytes[2];
    if ((bytes[1] & 1) != 0) {
        m.table_rate = 1;
        read_damaged(&m, o);
    } else {
        struct target target = o->target;
        target.mem = &m.mem;
        read_all(&m, &target);
    }
    return 0;
}
