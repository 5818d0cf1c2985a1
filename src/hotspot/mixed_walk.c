/*
 * mixed_walk.c - see mixed_walk.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/mixed_walk.h"
#include "hotspot/java_chunks.h"
#include "hotspot/oops.h"
#include "safe/cfi.h"
#include "safe/hs_frame.h"
#include "safe/walk_vm.h"

/* Java frames of one step: levels of inlining. */
#define LEVELS_MAX 600
/* Native frames in a row. */
#define NATIVE_MAX 2000
/* Around some calls of C functions compiled code saves all registers below its frame: 16 of eight
 * bytes, up to 32 of 64. Source: macroAssembler_x86.cpp of JDK 8 (fp_runtime_fallback). */
#define SAVED_WORDS_MAX 320

struct walk {
    const struct mixed_request *request;
    struct mem_view view;
    struct hs_cursor cursor;
    struct walk_frame levels[LEVELS_MAX];
    struct mixed_frame *frames;
    uint32_t max, count;
};

static void add(struct walk *w, struct mixed_frame frame)
{
    if (w->count < w->max)
        w->frames[w->count] = frame;
    w->count++;
}

/* Append what the cursor collected since, as frames that stand at (pc, sp, fp). */
static void take_levels(struct walk *w, uint64_t pc, uint64_t sp, uint64_t fp)
{
    struct hs_cursor *c = &w->cursor;
    for (uint32_t i = 0; i < c->count && i < LEVELS_MAX; i++) {
        struct mixed_frame f = {.method = w->levels[i].method, .pc = pc, .sp = sp, .fp = fp};
        f.bci = w->levels[i].bci;
        f.kind = w->levels[i].kind;
        f.level = w->levels[i].level;
        add(w, f);
    }
    c->count = 0;
}

/*
 * Native frames from `r` on, up to generated code or the stack pointer `until` (0: the end).
 * `interrupted`: pc is an instruction, not a return address. 1: `r` stands in generated code, 0
 * not.
 */
static int walk_native(struct walk *w, struct cfi_regs *r, uint64_t until, int interrupted)
{
    struct modules *modules = w->request->modules;
    const struct hs_layout *l = w->request->layout;
    for (int n = 0; modules != NULL && n < NATIVE_MAX; n++) {
        struct cfi_row row;
        if (hs_code_contains(l, r->pc))
            return 1;
        if (until != 0 && r->sp >= until)
            return 0;
        struct mixed_frame f = {.sp = r->sp, .kind = WALK_KIND_CPP, .bci = -1};
        f.pc = interrupted ? r->pc : r->pc - 1;
        struct module *module = modules_find(modules, f.pc);
        int has_row = module != NULL && modules_row(module, f.pc, &row);
        int step = has_row ? cfi_step(&w->view, l->cpu, &row, r, &interrupted) : -1;
        f.is_cut = step < 0;
        if (w->request->wants_native)
            add(w, f);
        if (step <= 0)
            return 0;
    }
    return 0;
}

/* The call stub keeps the frame pointer and the return address of its caller as C code does. */
static struct cfi_regs above_call_stub(const struct hs_cursor *c)
{
    struct cfi_regs r = {.sp = c->fp + 16};
    r.fp = hs_frame_word(c, c->fp);
    r.pc = hs_frame_word(c, c->fp + 8) & c->pc_mask;
    r.lr = r.pc;
    return r;
}

/* A mounted thread's frames return to the stack when they are needed; until then they are here. */
static void take_frozen(struct walk *w)
{
    const struct mixed_request *q = w->request;
    uint32_t stored = w->count < w->max ? w->count : w->max;
    int is_cut;
    if (q->oops == NULL || q->virtual_object == 0)
        return;
    uint64_t continuation = oops_get_object(q->oops, q->virtual_object, "cont");
    w->count +=
        java_chunks_frames(q->oops, continuation, w->frames + stored, w->max - stored, &is_cut);
}

static void walk_java(struct walk *w)
{
    struct hs_cursor *c = &w->cursor;
    enum hs_step step = HS_STEP_MORE;
    /* Each step moves up the stack by a word at least; a barrier is passed a few times at most. */
    for (uint64_t n = 0; step == HS_STEP_MORE && n < c->stack_size / 8 + 64; n++) {
        uint64_t pc = c->pc, sp = c->sp, fp = c->fp;
        struct cfi_regs native = {0};
        int is_entry = pc == c->layout->call_stub_return;
        if (is_entry)
            native = above_call_stub(c);
        uint8_t barriers = c->barrier_passed;
        step = hs_frame_step(c);
        if (c->barrier_passed != barriers)
            take_frozen(w);
        if (w->request->wants_native && native.pc != 0 && step != HS_STEP_FAIL)
            walk_native(w, &native, step == HS_STEP_END ? 0 : c->sp, 0);
        take_levels(w, pc, sp, fp);
    }
}

static uint64_t anchor_sp(struct walk *w)
{
    const struct hs_layout *l = w->request->layout;
    return mem_view_u8(&w->view, w->request->java_thread + (uint64_t)l->thread_anchor +
                                     (uint64_t)l->anchor_sp);
}

/* Choose the start. 0, or -(1 + enum walk_cause). */
static int find_start(struct walk *w, struct hs_start *ret_start)
{
    const struct mixed_request *q = w->request;
    uint64_t sp = q->regs != NULL ? q->regs->sp : anchor_sp(w);
    if (w->view.faults != 0)
        return -(1 + WALK_FAULT);
    if (sp == 0)
        return -(1 + WALK_NO_JAVA_FRAME);
    if (!hs_frame_init(&w->cursor, &w->view, q->layout, q->java_thread, sp))
        return -(1 + WALK_BROKEN);
    w->cursor.frames = w->levels;
    w->cursor.max = LEVELS_MAX;
    w->cursor.keeps_calls = q->layout->nmethod_compile_id >= 0;
    return walk_vm_find(&w->cursor, q->regs, ret_start);
}

/*
 * The part of the stack above the first Java frame. Compiled code calls some C functions without
 * leaving an anchor: there the way through native code is the only sure start, and replaces the
 * guesses of walk_vm_find(). `error` is what that said; returns the new one.
 */
static int walk_top(struct walk *w, int error, struct hs_start *start)
{
    const struct regs *regs = w->request->regs;
    int is_guess = w->request->java_thread != 0 && anchor_sp(w) == 0;
    if (regs == NULL || hs_code_contains(w->request->layout, regs->pc) ||
        (!is_guess && !w->request->wants_native))
        return error;
    struct cfi_regs r = {regs->pc, regs->sp, regs->fp, regs->lr};
    if (!walk_native(w, &r, error == 0 && !is_guess ? start->sp : 0, 1) || !is_guess)
        return error;
    for (uint64_t words = 0; words <= SAVED_WORDS_MAX; words++) {
        struct hs_start s = {.pc = r.pc, .sp = r.sp + words * 8, .fp = r.fp};
        s.trust = words == 0 ? HS_TRUST_EXACT : HS_TRUST_SHIFTED;
        if (walk_vm_try(&w->cursor, &s)) {
            *start = s;
            return 0;
        }
    }
    return error;
}

uint32_t mixed_walk(const struct mixed_request *request, struct mixed_frame *frames, uint32_t max,
                    int *ret_truncated, int *ret_cause)
{
    struct walk w = {
        .request = request, .view = {.mem = request->mem}, .frames = frames, .max = max};
    struct hs_start start = {0};
    int error = -(1 + WALK_NO_JAVA_FRAME);
    if (request->java_thread != 0)
        error = find_start(&w, &start);
    error = walk_top(&w, error, &start);
    if (error == 0) {
        w.cursor.count = 0;
        w.cursor.barrier_passed = 0;
        enum hs_step step = walk_vm_enter(&w.cursor, &start);
        take_levels(&w, start.lead_pc, 0, start.lead == HS_LEAD_INTERP ? start.fp : 0);
        if (step == HS_STEP_MORE)
            walk_java(&w);
    }
    *ret_cause = error < 0 ? -1 - error : -1;
    *ret_truncated = w.count > max;
    return w.count > max ? max : w.count;
}
