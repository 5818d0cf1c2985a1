/*
 * walk_mixed.c - see walk_mixed.h.
 *
 * The start is chosen as walk_vm.c does. Stack: 1 KB, and what walk_vm_find() takes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/walk_mixed.h"
#include "safe/hs_chunks.h"
#include "safe/hs_names.h"
#include "safe/hs_native.h"
#include "safe/mem_self.h"
#include "safe/own_class.h"
#include "safe/regs.h"
#include "safe/walk_vm.h"
#include <signal.h>
#include <ucontext.h>

/* Native frames in a row, where the Java frame above them must be found. */
#define NATIVE_MAX 4096
/* More than a stack has words that can be frames; the frames in chunks are counted, too. */
#define STEPS_MAX (1u << 24)
/* What a stub has on the stack below its frame pointer. */
#define STUB_BYTES_MAX 512u

static const struct hs_layout *own_layout;
static struct hs_names *own_names;

enum native_end {
    NATIVE_CODE,  /* the registers stand in generated code */
    NATIVE_UNTIL, /* at the stack pointer that was named */
    NATIVE_FIRST, /* behind the thread's first frame */
    NATIVE_CUT,   /* no table leads on */
    NATIVE_FULL,  /* more frames than wanted */
};

struct native_walk {
    const struct cfi_map *map;
    uint64_t until;  /* stop at this stack pointer; 0: at the thread's first frame */
    int interrupted; /* pc is an instruction, not a return address */
};

static void mark_cut(struct hs_cursor *c)
{
    if (c->count > 0 && c->count <= c->max)
        c->frames[c->count - 1].flags |= WALK_MIXED_CUT;
}

/* Append native frames from `r` on, and move it up. Each step but a signal's moves up the stack. */
static enum native_end walk_native(struct hs_cursor *c, const struct native_walk *w,
                                   struct cfi_regs *r)
{
    int interrupted = w->interrupted;
    for (int n = 0; n < NATIVE_MAX; n++) {
        if (hs_code_contains(c->layout, r->pc))
            return NATIVE_CODE;
        if (w->until != 0 && r->sp >= w->until)
            return NATIVE_UNTIL;
        if (c->count > c->max)
            return NATIVE_FULL;
        uint64_t pc = interrupted ? r->pc : r->pc - 1;
        hs_frame_add(c, pc, -1, WALK_KIND_CPP, 0);
        int step = hs_native_step(c, w->map, pc, r, &interrupted);
        if (step == 0)
            return NATIVE_FIRST;
        if (step < 0)
            break;
    }
    mark_cut(c);
    return NATIVE_CUT;
}

/*
 * The part of the stack that the thread runs in C code, up to where walk_vm_find() found Java.
 * `error` is what that said. Compiled code calls some C functions without leaving an anchor: there
 * the frames end at generated code.
 */
static void walk_top(struct hs_cursor *c, const struct cfi_map *map, const struct regs *regs,
                     int error, const struct hs_start *start)
{
    const struct hs_layout *l = c->layout;
    uint64_t anchor_sp =
        mem_view_u8(c->view, c->thread + (uint64_t)l->thread_anchor + (uint64_t)l->anchor_sp);
    struct cfi_regs r = {regs->pc, regs->sp, regs->fp, regs->lr};
    struct native_walk w = {.map = map, .interrupted = 1};
    w.until = error == 0 && anchor_sp != 0 ? start->sp : 0;
    enum native_end end = walk_native(c, &w, &r);
    if (anchor_sp == 0 && error == 0 && end == NATIVE_FIRST)
        c->count = 0; /* there is a Java frame: this way missed it */
}

/* Stubs through which C code calls Java keep the frame pointer and the return address of their
 * caller as C code does. */
static struct cfi_regs above_entry(const struct hs_cursor *c, uint64_t fp)
{
    struct cfi_regs r = {.sp = fp + 16};
    r.fp = hs_frame_word(c, fp);
    r.pc = hs_frame_word(c, fp + 8) & c->pc_mask;
    r.lr = r.pc;
    return r;
}

static int is_upcall(const struct hs_cursor *c, uint64_t pc)
{
    struct hs_blob blob;
    return hs_code_find(c->view, c->layout, pc, &blob) && blob.kind == HS_BLOB_UPCALL;
}

static enum hs_step walk_java(struct hs_cursor *c, const struct cfi_map *map)
{
    enum hs_step step = HS_STEP_MORE;
    /* Each step moves up the stack or a chunk by a word at least. */
    for (uint64_t n = 0; step == HS_STEP_MORE && n < STEPS_MAX; n++) {
        uint64_t pc = c->pc, fp = c->fp;
        uint32_t before = c->count;
        if (before > c->max && hs_chunks_may_stop(c))
            return HS_STEP_END;
        step = hs_frame_step(c);
        if (step == HS_STEP_FAIL || c->count != before ||
            (pc != c->layout->call_stub_return && !is_upcall(c, pc)))
            continue;
        struct native_walk w = {.map = map, .until = step == HS_STEP_END ? 0 : c->sp};
        struct cfi_regs r = above_entry(c, fp);
        if (r.pc != 0)
            walk_native(c, &w, &r);
    }
    return step;
}

static int result_of(uint32_t count, uint32_t max, int *ret_truncated)
{
    *ret_truncated = count > max;
    return (int)(count > max ? max : count);
}

/* Whether the innermost Java frames that walk_vm_find() has left at the cursor are an own class's:
 * then so is the C code above them. */
static int is_own(const struct hs_cursor *c, struct hs_names_visit *visit)
{
    for (uint32_t i = 0; i < c->count && i < c->max && i < OWN_CLASS_FRAMES; i++) {
        uint32_t index = hs_names_find(visit, c->view, c->frames[i].method);
        if (hs_names_is_own(own_names, index))
            return 1;
    }
    return 0;
}

static int walk_java_thread(const struct walk_request *request, const struct cfi_map *map,
                            struct hs_names_visit *visit, struct walk_frame *frames, uint32_t max,
                            int *ret_truncated)
{
    struct mem_view view = {.mem = &mem_self};
    struct hs_cursor c;
    struct regs regs;
    struct hs_start start;
    regs_of_ucontext(request->ucontext, &regs);
    const void *window = (const void *)(regs.sp & ~(uint64_t)7);
    int error = walk_vm_open(&c, &view, own_layout, request->java_thread, regs.sp, window);
    if (error < 0)
        return error;
    c.frames = frames;
    c.max = max;
    error = walk_vm_find(&c, &regs, &start);
    int is_in_own = error == 0 && is_own(&c, visit);
    c.count = 0;
    c.trust = HS_TRUST_ANCHOR;
    if (!hs_code_contains(own_layout, regs.pc) && !is_in_own)
        walk_top(&c, map, &regs, error, &start);
    uint32_t native = c.count;
    if (error < 0) {
        if (-1 - error == WALK_NO_JAVA_FRAME && native > 0)
            return result_of(native, max, ret_truncated);
        return error;
    }
    if (native > max)
        return result_of(native, max, ret_truncated);
    c.frames = frames + native;
    c.max = max - native;
    c.barrier_passed = 0;
    enum hs_step step = walk_vm_enter(&c, &start);
    if (step == HS_STEP_MORE)
        step = walk_java(&c, map);
    if (step == HS_STEP_FAIL) /* code went away since the start was checked */
        return -(1 + WALK_BROKEN);
    return result_of(native + c.count, max, ret_truncated);
}

static void init_native(struct hs_cursor *c, struct mem_view *view, const struct hs_layout *layout,
                        struct walk_frame *frames, uint32_t max)
{
    memset(c, 0, sizeof *c);
    c->view = view;
    c->layout = layout;
    c->frames = frames;
    c->max = max;
}

/* The VM's own threads call some stubs as functions: those that push nothing, or a frame pointer
 * first. 1: `r` is their caller's. */
static int leave_stub(const struct hs_cursor *c, const struct cfi_map *map, struct cfi_regs *r)
{
    if (hs_native_step_leaf(c, map, r) > 0)
        return 1;
    struct cfi_regs up = {.sp = r->fp + 8};
    if (r->fp - r->sp > STUB_BYTES_MAX || (r->fp & 7) != 0 || hs_native_step_leaf(c, map, &up) < 0)
        return 0;
    up.fp = mem_view_u8(c->view, r->fp);
    *r = up;
    return 1;
}

/* A thread the VM need not know. Where our loads may not fault in it, its stack is not read. */
static int walk_other_thread(const struct walk_request *request, const struct cfi_map *map,
                             struct walk_frame *frames, uint32_t max, int *ret_truncated)
{
    const ucontext_t *context = request->ucontext;
    int may_fault = mem_self_works_in_any_thread() &&
                    sigismember(&context->uc_sigmask, SIGSEGV) == 0 &&
                    sigismember(&context->uc_sigmask, SIGBUS) == 0;
    struct mem_view view = {.mem = &mem_self};
    struct native_walk w = {.map = map, .interrupted = 1};
    struct hs_cursor c;
    struct regs regs;
    regs_of_ucontext(context, &regs);
    struct cfi_regs r = {regs.pc, regs.sp, regs.fp, regs.lr};
    init_native(&c, &view, own_layout, frames, max);
    if (may_fault) {
        if (hs_code_contains(own_layout, r.pc) && leave_stub(&c, map, &r))
            w.interrupted = 0;
        if (walk_native(&c, &w, &r) == NATIVE_CODE)
            mark_cut(&c);
    } else {
        hs_frame_add(&c, r.pc, -1, WALK_KIND_CPP, 0);
        mark_cut(&c);
    }
    return c.count > 0 ? result_of(c.count, max, ret_truncated) : -(1 + WALK_NO_THREAD);
}

static int walk(const struct walk_request *request, struct walk_frame *frames, uint32_t max,
                int *ret_truncated)
{
    const struct cfi_map *map = cfi_map_current();
    *ret_truncated = 0;
    if (own_layout == NULL || map == NULL)
        return -(1 + WALK_NO_THREAD);
    if (request->java_thread == 0)
        return walk_other_thread(request, map, frames, max, ret_truncated);
    struct mem_view view = {.mem = &mem_self};
    struct hs_names_visit visit;
    hs_names_enter(own_names, &view, &visit);
    int count = walk_java_thread(request, map, &visit, frames, max, ret_truncated);
    for (int i = 0; i < count; i++) {
        if (frames[i].kind != WALK_KIND_CPP)
            frames[i].method = hs_names_find(&visit, &view, frames[i].method);
    }
    if (request->above > 0)
        walk_vm_mark_own(own_names, frames, count);
    hs_names_leave(&visit);
    return count;
}

void walk_mixed_prepare(const struct hs_layout *layout, struct hs_names *names)
{
    own_layout = layout;
    own_names = names;
}

uint32_t walk_mixed_native(struct mem *m, enum hs_cpu cpu, const struct cfi_map *map,
                           const struct cfi_regs *regs, struct walk_frame *frames, uint32_t max)
{
    const struct hs_layout layout = {.cpu = cpu}; /* no generated code */
    struct mem_view view = {.mem = m};
    struct native_walk w = {.map = map, .interrupted = 1};
    struct cfi_regs r = *regs;
    struct hs_cursor c;
    init_native(&c, &view, &layout, frames, max);
    walk_native(&c, &w, &r);
    return c.count > max ? max : c.count;
}

const struct walker walk_mixed = {.name = "vm", .names = WALK_NAMES_VM, .walk = walk};
