/*
 * safe_hs_mixed.c - the one walker's three adapters give the same frames of the same memory.
 *
 * The memory is a recorded stack (tests/data/walk) that gets C frames on top, a native method that
 * C code has called through an entry stub, and C frames below its first Java frame:
 *   C  C  native method  entry stub  C  C  the recorded Java frames  call stub  C  C
 * once with the call stub as that entry, and where the VM has them with an upcall stub. No JVM is
 * needed. SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "hotspot/layout.h"
#include "hotspot/stopped_stack.h"
#include "safe/asgst_iter.h"
#include "safe/hs_calls.h"
#include "safe/unwind.h"
#include "safe/walk_native.h"
#include "walkfile.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

enum {
    PATCHES_MAX = 64,
    FRAMES_MAX = WALKFILE_FRAMES_MAX + 16,
    BELOW = 0x1000,     /* what is added lies so far below the recorded frames */
    CODE_AT = 300,      /* in such a blob */
    CALL = 0x20,        /* where in it a call returns to */
    INSTRUCTION = 0x10, /* and where it was interrupted */
    FAR = 0x100000,     /* the frame of the function that called Java first */
};

/* C code: function i begins at CODE + i * FUNCTION, and is so many bytes long. */
enum {
    CODE = 0x10000,
    FUNCTION = 0x100,
};
/* Of a made-up blob: its part of the segment map is a word. */
enum { SEGMENTS = 8 };
/* Names of made-up blobs. */
enum {
    NATIVE_NAME = 0x2000,
    UPCALL_NAME = 0x2010,
};

enum function { TOP, CALLS_JAVA_METHOD, CALLS_ENTRY, BETWEEN, CALLS_FIRST, FIRST, FUNCTIONS };

struct patch {
    uint64_t addr;
    unsigned char bytes[8];
    unsigned len;
};

/** A recorded walk with words of ours over it. */
struct memory {
    struct mem mem;
    struct mem *below;
    struct patch patches[PATCHES_MAX];
    unsigned patch_count;
    uint64_t refused_low, refused_high; /* reads of this range are counted */
    unsigned refused;
};

static int read_memory(struct mem *mem, uint64_t addr, void *dst, size_t len)
{
    struct memory *m = (struct memory *)mem;
    unsigned char *out = dst;
    m->refused += addr >= m->refused_low && addr < m->refused_high;
    for (size_t i = 0; i < len; i++) {
        unsigned p = m->patch_count;
        while (p > 0 && addr + i - m->patches[p - 1].addr >= m->patches[p - 1].len)
            p--;
        if (p > 0)
            out[i] = m->patches[p - 1].bytes[addr + i - m->patches[p - 1].addr];
        else if (mem_read(m->below, addr + i, out + i, 1) < 0)
            return -EFAULT;
    }
    return 0;
}

static const struct mem_ops memory_ops = {.read = read_memory};

static void put(struct memory *m, uint64_t addr, uint64_t value, unsigned len)
{
    assert_true(m->patch_count < PATCHES_MAX);
    struct patch *p = &m->patches[m->patch_count++];
    p->addr = addr;
    p->len = len;
    memcpy(p->bytes, &value, len);
}

static uint64_t get(struct memory *m, uint64_t addr)
{
    uint64_t value = 0;
    assert_int_equal(mem_read(&m->mem, addr, &value, 8), 0);
    return value;
}

static uint64_t in_function(enum function f, unsigned at)
{
    return CODE + f * FUNCTION + at;
}

/* A blob at the end of a code heap, where the recorded memory has none. Returns its start. */
static uint64_t put_blob(struct memory *m, const struct hs_layout *l, unsigned which, uint64_t name,
                         uint32_t frame_words)
{
    const struct hs_heap *h = &l->heaps[0];
    uint64_t segment =
        (((h->high - h->low) >> h->log2_segment) - (which + 2) * SEGMENTS) & ~(SEGMENTS - 1);
    uint64_t block = h->low + (segment << h->log2_segment), start = block + (uint64_t)l->block_size;
    put(m, h->segmap + segment, 0x0706050403020100u, 8);
    put(m, block + (uint64_t)l->block_used, 1, 1);
    put(m, start + (uint64_t)l->blob_name, name, 8);
    if (l->blob_kind >= 0)
        put(m, start + (uint64_t)l->blob_kind, 0, 1); /* a number that says nothing */
    put(m, start + (uint64_t)l->blob_size, CODE_AT + FUNCTION / 2, 4);
    if (l->blob_code_begin >= 0)
        put(m, start + (uint64_t)l->blob_code_begin, start + CODE_AT, 8);
    else
        put(m, start + (uint64_t)l->blob_code_offset, CODE_AT, 4);
    put(m, start + (uint64_t)l->blob_frame_complete, 0, (unsigned)l->blob_frame_complete_bytes);
    put(m, start + (uint64_t)l->blob_frame_size, frame_words, 4);
    return start;
}

static void put_anchor(struct memory *m, const struct hs_layout *l, uint64_t anchor, uint64_t sp,
                       uint64_t pc, uint64_t fp)
{
    put(m, anchor + (uint64_t)l->anchor_sp, sp, 8);
    put(m, anchor + (uint64_t)l->anchor_pc, pc, 8);
    put(m, anchor + (uint64_t)l->anchor_fp, fp, 8);
}

static uint32_t number_of_state(const struct hs_layout *l, enum hs_thread_state state)
{
    uint32_t n = 0;
    while (n < HS_THREAD_STATES - 1 && hs_layout_state(l, n) != (uint32_t)state)
        n++;
    return n;
}

/* Rows: most functions have 32 bytes of frame with the return address and the frame pointer in its
 * upper two words. */
static const struct cfi_row rows[] = {
    {TOP * FUNCTION, 32, -16, -8, CFI_CFA_SP},
    {CALLS_JAVA_METHOD * FUNCTION, 32, -16, -8, CFI_CFA_SP},
    {CALLS_ENTRY * FUNCTION, 48, CFI_SAME, -8, CFI_CFA_SP},
    {BETWEEN * FUNCTION, 0, -16, -8, CFI_CFA_FP},
    {CALLS_FIRST * FUNCTION, FAR, CFI_SAME, -8, CFI_CFA_SP},
    {FIRST * FUNCTION, 0, 0, 0, CFI_CFA_END},
};
static struct {
    struct cfi_map map;
    struct cfi_table table;
} tables = {{1}, {CODE, CODE + FUNCTIONS *FUNCTION, rows, FUNCTIONS}};

static int find_row(void *arg, uint64_t pc, struct cfi_row *ret_row)
{
    const struct cfi_row *row = cfi_map_find(arg, pc);
    if (row)
        *ret_row = *row;
    return row != NULL;
}

/** One frame in the form of all three. */
struct seen {
    uint64_t at; /* Method*, or the pc: of callers within the call */
    int32_t bci; /* -1: none, or a native method's */
    bool is_native;
    int level;
};

struct stack {
    struct memory memory;
    const struct hs_layout *layout;
    struct walkfile_walk *walk;
    struct regs regs;
    uint64_t stack_high;
    struct seen expected[FRAMES_MAX];
    uint32_t count;
};

static void expect(struct stack *s, uint64_t at, int32_t bci, bool is_native, int level)
{
    assert_true(s->count < FRAMES_MAX);
    s->expected[s->count++] = (struct seen){at, bci, is_native, level};
}

static void expect_c(struct stack *s, enum function f, unsigned at)
{
    expect(s, in_function(f, at), -1, 1, 0);
}

/* Where the thread's first call stub has its frame pointer. */
static uint64_t find_first_entry(struct stack *s)
{
    const struct hs_memory memory = {.mem = &s->memory.mem, .layout = s->layout};
    struct walk_frame frames[FRAMES_MAX];
    struct hs_mixed m;
    struct hs_mixed_frame f, last = {0};
    const struct hs_mixed_of of = {
        .memory = &memory, .java_thread = s->walk->thread, .frames = frames, .max = FRAMES_MAX};
    assert_int_equal(hs_mixed_begin(&m, &of), 0);
    while (hs_mixed_next(&m, &f) == HS_MIXED_FRAME)
        last = f;
    assert_int_equal(last.kind, HS_MIXED_STUB);
    assert_int_equal(last.pc, s->layout->call_stub_return);
    return last.fp;
}

/* The entry stub's frame: `sp` and `fp` where the native method returns to; its anchor says where
 * the recorded frames begin. Returns the return address into it. */
static uint64_t put_entry(struct stack *s, bool is_upcall, uint64_t sp, uint64_t fp, uint64_t to)
{
    const struct hs_layout *l = s->layout;
    struct memory *m = &s->memory;
    const uint64_t thread = s->walk->thread + (uint64_t)l->thread_anchor;
    uint64_t anchor, pc;
    if (is_upcall) {
        uint64_t stub = put_blob(m, l, 1, UPCALL_NAME, 0);
        put(m, stub + (uint64_t)l->upcall_frame_data, 64, 4);
        anchor = sp + 64 + (uint64_t)l->upcall_anchor;
        pc = stub + CODE_AT + CALL;
    } else {
        uint64_t wrapper = sp + 0x200;
        put(m, fp + (uint64_t)(int64_t)l->entry_wrapper_words * 8, wrapper, 8);
        anchor = wrapper + (uint64_t)l->wrapper_anchor;
        pc = l->call_stub_return;
    }
    put_anchor(m, l, anchor, to, get(m, thread + (uint64_t)l->anchor_pc),
               get(m, thread + (uint64_t)l->anchor_fp));
    return pc;
}

static void build(struct stack *s, const struct hs_layout *l, struct walkfile_walk *w,
                  bool is_upcall)
{
    struct memory *m = &s->memory;
    memset(s, 0, sizeof(*s));
    s->layout = l;
    s->walk = w;
    m->mem.ops = &memory_ops;
    m->below = &w->blocks.mem;
    const uint64_t thread_anchor = w->thread + (uint64_t)l->thread_anchor,
                   to = get(m, thread_anchor + (uint64_t)l->anchor_sp), low = to - BELOW,
                   first = find_first_entry(s);
    s->stack_high = get(m, w->thread + (uint64_t)l->thread_stack_base);
    put(m, NATIVE_NAME, 0x6e2065766974616eu, 8); /* "native n" */
    put(m, UPCALL_NAME, 0x735f6c6c61637075u, 8); /* "upcall_s" */
    put(m, w->thread + (uint64_t)l->thread_state, number_of_state(l, HS_THREAD_IN_NATIVE), 4);

    /* Two C functions, called by a native method's wrapper of four words. */
    uint64_t method = w->frames[0].frame.method;
    uint64_t wrapper = put_blob(m, l, 0, NATIVE_NAME, 4);
    put(m, wrapper + (uint64_t)l->nmethod_method, method, 8);
    put(m, low + 16, 0x77, 8);
    put(m, low + 24, in_function(CALLS_JAVA_METHOD, CALL), 8);
    put(m, low + 48, 0x77, 8);
    put(m, low + 56, wrapper + CODE_AT + CALL, 8);
    s->regs = (struct regs){.pc = in_function(TOP, INSTRUCTION), .sp = low, .fp = 0x77};
    expect_c(s, TOP, INSTRUCTION);
    expect_c(s, CALLS_JAVA_METHOD, CALL - 1);
    expect(s, method, -1, 0, 0);

    /* The wrapper returns to the entry, which C code called: one frame, and one up to there. */
    const uint64_t entry_sp = low + 96, entry_fp = entry_sp + 0x80, c_sp = entry_fp + 16;
    uint64_t entry = put_entry(s, is_upcall, entry_sp, entry_fp, to);
    put(m, low + 80, entry_fp, 8);
    put(m, low + 88, entry, 8);
    put(m, entry_fp, to, 8); /* the frame pointer of CALLS_ENTRY's caller: its CFA */
    put(m, entry_fp + 8, in_function(CALLS_ENTRY, CALL), 8);
    put(m, c_sp + 40, in_function(BETWEEN, CALL), 8);
    put(m, to - 16, 0x88, 8);
    uint64_t pc = get(m, thread_anchor + (uint64_t)l->anchor_pc);
    if (pc != 0) /* else the VM's own word there says it */
        put(m, to - 8, pc, 8);
    put_anchor(m, l, thread_anchor, low + 64, wrapper + CODE_AT + CALL, 0x77);
    expect_c(s, CALLS_ENTRY, CALL - 1);
    expect_c(s, BETWEEN, CALL - 1);

    for (uint32_t i = 0; i < w->count; i++) {
        const struct walk_frame *f = &w->frames[i].frame;
        bool is_method = f->kind == WALK_KIND_NATIVE;
        expect(s, f->method, is_method ? -1 : f->bci < 0 ? 0 : f->bci, 0, f->level);
    }

    put(m, first, 0, 8);
    put(m, first + 8, in_function(CALLS_FIRST, CALL), 8);
    put(m, first + 16 + FAR - 8, in_function(FIRST, CALL), 8);
    expect_c(s, CALLS_FIRST, CALL - 1);
    expect_c(s, FIRST, CALL - 1);
}

static void check(const struct stack *s, const struct seen *seen, uint32_t count, const char *who)
{
    uint32_t i = 0;
    while (i < count && i < s->count && seen[i].at == s->expected[i].at &&
           seen[i].bci == s->expected[i].bci && seen[i].is_native == s->expected[i].is_native &&
           seen[i].level == s->expected[i].level)
        i++;
    if (i < s->count || count != s->count)
        fail_msg("JDK %u, %s: frame %u of %u differs (%u expected)", s->layout->version, who, i,
                 count, s->count);
}

static int32_t bci_of(uint8_t kind, int32_t bci)
{
    return kind == WALK_KIND_NATIVE || kind == WALK_KIND_CPP ? -1 : bci < 0 ? 0 : bci;
}

static void check_agent(const struct stack *s, const struct hs_memory *memory, const void *window)
{
    static struct walk_frame frames[FRAMES_MAX];
    struct seen seen[FRAMES_MAX];
    bool is_cut;
    int n = walk_native_thread(memory, NULL, s->walk->thread, &s->regs, window, frames, FRAMES_MAX,
                               &is_cut);
    for (int i = 0; i < n; i++) {
        seen[i] = (struct seen){frames[i].method, bci_of(frames[i].kind, frames[i].bci),
                                frames[i].kind == WALK_KIND_CPP, frames[i].level};
        assert_int_equal(frames[i].flags & WALK_NATIVE_CUT, 0);
    }
    check(s, seen, n < 0 ? 0 : (uint32_t)n, "the agent");
}

static void check_asgst(const struct stack *s, const struct hs_memory *memory, const void *window)
{
    static struct asgst_iter it;
    struct asgst_iter_frame f;
    struct seen seen[FRAMES_MAX];
    uint32_t n = 0;
    assert_int_equal(asgst_iter_begin(&it, memory, s->walk->thread, &s->regs, window, 1), 0);
    while (asgst_iter_next(&it, &f) == ASGST_ITER_FRAME) {
        bool is_native = f.type == ASGST_ITER_CPP;
        if (f.type == ASGST_ITER_STUB)
            continue;
        assert_true(n < FRAMES_MAX);
        seen[n] = (struct seen){f.method, f.bci, is_native, f.level < 0 ? 0 : f.level};
        if (is_native) /* the API wants the return address itself */
            seen[n] = (struct seen){n == 0 ? f.pc : f.pc - 1, -1, 1, 0};
        n++;
    }
    assert_int_equal(it.state, ASGST_ITER_END);
    check(s, seen, n, "libasgst");
}

static void check_stopped(const struct stack *s, const struct hs_memory *memory)
{
    static struct stopped_frame frames[FRAMES_MAX];
    const struct stopped_stack_request request = {
        .memory = memory, .wants_native = 1, .java_thread = s->walk->thread, .regs = &s->regs};
    struct seen seen[FRAMES_MAX];
    bool is_cut;
    int cause;
    uint32_t n = stopped_stack_walk(&request, frames, FRAMES_MAX, &is_cut, &cause);
    for (uint32_t i = 0; i < n; i++) {
        bool is_native = frames[i].kind == WALK_KIND_CPP;
        seen[i] = (struct seen){is_native ? frames[i].pc : frames[i].method,
                                bci_of(frames[i].kind, frames[i].bci), is_native, frames[i].level};
        assert_int_equal(frames[i].is_cut, 0);
    }
    assert_int_equal(cause, -1);
    check(s, seen, n, "hprof stack");
}

static struct hs_calls calls;

static void check_all(struct stack *s)
{
    static struct unwind by_map, by_asking = {.find = find_row, .arg = &tables};
    unwind_publish(&by_map, &tables.map);
    hs_calls_forget(&calls);
    for (int round = 0; round < 4; round++) { /* what is kept is used, too */
        const struct hs_memory memory = {.mem = &s->memory.mem,
                                         .layout = s->layout,
                                         .calls = round >= 2 ? &calls : NULL,
                                         .unwind = round % 2 != 0 ? &by_map : &by_asking};
        check_agent(s, &memory, NULL);
        check_asgst(s, &memory, NULL);
        check_stopped(s, &memory);
    }
}

static const char *const images[] = {"jdk8",  "jdk11", "jdk17",         "jdk21",
                                     "jdk25", "jdk26", "jdk17-aarch64", "jdk25-aarch64"};
enum { IMAGES = sizeof(images) / sizeof(*images) };

/* A whole stack that begins at the thread's anchor: it was in C code when it was recorded. */
static bool is_usable(const struct hs_layout *l, struct walkfile_walk *w)
{
    struct mem_view v = {.mem = &w->blocks.mem};
    uint64_t anchor = w->thread + (uint64_t)l->thread_anchor;
    uint32_t state = hs_layout_state(l, mem_view_u4(&v, w->thread + (uint64_t)l->thread_state));
    return state != HS_THREAD_IN_JAVA && mem_view_u8(&v, anchor + (uint64_t)l->anchor_sp) != 0 &&
           w->count < WALKFILE_FRAMES_MAX;
}

static void for_each_stack(void (*with)(struct stack *s), unsigned *ret_calls,
                           unsigned *ret_upcalls)
{
    static struct stack s;
    for (unsigned i = 0; i < IMAGES; i++) {
        struct walkfile file;
        struct hs_layout l;
        const char *missing;
        walkfile_open(images[i], &file);
        assert_int_equal(layout_load(&file.blocks.mem, &file.elf, file.bias,
                                     LAYOUT_walk | LAYOUT_names, &l, &missing),
                         0);
        for (uint32_t k = 0; k < file.walk_count; k++) {
            struct walkfile_walk *w = &file.walks[k];
            if (!is_usable(&l, w))
                continue;
            build(&s, &l, w, 0);
            with(&s);
            ++*ret_calls;
            if (l.upcall_frame_data < 0 || l.upcall_anchor < 0)
                continue;
            build(&s, &l, w, 1);
            with(&s);
            ++*ret_upcalls;
        }
        walkfile_close(&file);
    }
}

static void all_three_adapters_give_the_same_frames(void **state)
{
    unsigned through_call_stub = 0, through_upcall_stub = 0;
    (void)state;
    for_each_stack(check_all, &through_call_stub, &through_upcall_stub);
    assert_true(through_call_stub >= IMAGES);
    assert_true(through_upcall_stub >= 2);
}

/* As with -Xcheck:jni in a running thread: its stack is there for plain loads only. */
static void check_window(struct stack *s)
{
    static struct unwind unwind;
    const struct hs_memory memory = {.mem = &s->memory.mem, .layout = s->layout, .unwind = &unwind};
    const uint64_t low = s->regs.sp;
    unwind_publish(&unwind, &tables.map);
    unsigned char *window = calloc(1, s->stack_high - low);
    assert_non_null(window);
    for (uint64_t at = low; at < s->stack_high; at += 8) {
        uint64_t word = 0;
        if (mem_read(&s->memory.mem, at, &word, 8) == 0)
            memcpy(window + (at - low), &word, 8);
    }
    s->memory.refused_low = low;
    s->memory.refused_high = s->stack_high;
    check_agent(s, &memory, window);
    check_asgst(s, &memory, window);
    assert_int_equal(s->memory.refused, 0);
    free(window);
}

static void where_loads_may_not_fail_the_stack_is_read_from_the_window(void **state)
{
    unsigned through_call_stub = 0, through_upcall_stub = 0;
    (void)state;
    for_each_stack(check_window, &through_call_stub, &through_upcall_stub);
    assert_true(through_upcall_stub >= 2);
}

static void where_no_load_may_fail_a_foreign_thread_has_one_frame(void **state)
{
    static const struct hs_layout no_code = {.cpu = HS_CPU_X86_64};
    static struct unwind unwind;
    static struct memory m = {.mem = {&memory_ops}, .refused_high = UINT64_MAX};
    const struct hs_memory memory = {.mem = &m.mem, .layout = &no_code, .unwind = &unwind};
    const struct regs regs = {.pc = in_function(TOP, INSTRUCTION), .sp = 0x5000};
    struct walk_frame frames[4];
    struct asgst_iter it;
    struct asgst_iter_frame f;
    bool is_cut;
    (void)state;
    unwind_publish(&unwind, &tables.map);
    assert_int_equal(walk_native_alone(&memory, &regs, 0, frames, 4, &is_cut), 1);
    assert_int_equal(frames[0].method, regs.pc);
    assert_int_equal(frames[0].flags, WALK_NATIVE_CUT);
    asgst_iter_begin_native(&it, &memory, &regs, 0);
    assert_int_equal(asgst_iter_next(&it, &f), ASGST_ITER_FRAME);
    assert_int_equal(f.pc, regs.pc);
    assert_int_equal(asgst_iter_next(&it, &f), ASGST_ITER_END);
    assert_int_equal(m.refused, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_three_adapters_give_the_same_frames),
        cmocka_unit_test(where_loads_may_not_fail_the_stack_is_read_from_the_window),
        cmocka_unit_test(where_no_load_may_fail_a_foreign_thread_has_one_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
