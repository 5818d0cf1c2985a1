/*
 * walk_vm.c - see walk_vm.h.
 *
 * The state of the thread decides where the walk starts: in the state "in Java" at the registers
 * (hs_top.h), else at the anchor that the VM keeps. Each start is a guess with a trust. A guess is
 * believed if the walk from it passes the thread's first Java frame.
 * The walk reads the JavaThread (which is alive: its thread is the calling one, or is stopped), and
 * what hs_frame.h names. Stack use: hs_starts 1.6 KB, registers 0.3 KB, cursor and view 0.5 KB.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/walk_vm.h"
#include "safe/hs_calls.h"
#include "safe/hs_chunks.h"
#include "safe/hs_compiled.h"
#include "safe/hs_frame.h"
#include "safe/hs_names.h"
#include "safe/hs_native.h"
#include "safe/hs_top.h"
#include "safe/own_class.h"
#include "safe/regs.h"
#include "safe/unwind.h"

enum {
    /* frames that a walk from a guess may pass until it must end; an exact start stops at `max` */
    VERIFY_FRAMES_MAX = 100000,
    /* more than the red, yellow and reserved zones together (source: stackOverflow.cpp) */
    GUARD_BYTES_MAX = 512 << 10,
    PAGE_BYTES = 4096,
};
#define STACK_BYTES_MAX ((uint64_t)1 << 36)

static const struct hs_memory *own;
static struct hs_names *own_names;

/* Append the frames with which the start leads, and put the cursor behind them. */
static enum hs_step enter_start(struct hs_cursor *c, const struct hs_start *s)
{
    hs_chunks_forget(c);
    c->frozen.native_method = 0;
    c->frozen.awaits = HS_AWAITS_TOP;
    c->pc = s->pc;
    c->sp = s->sp;
    c->fp = s->fp;
    c->trust = s->trust;
    c->count = 0;
    c->frozen.barriers_passed = 0;
    switch (s->lead) {
    case HS_LEAD_CODE:
        return hs_compiled_add_top(c, s->lead_pc) ? HS_STEP_MORE : HS_STEP_FAIL;
    case HS_LEAD_METHOD:
        hs_cursor_add(c, s->method, s->bci, s->bci == -3 ? WALK_KIND_NATIVE : WALK_KIND_INTERPRETED,
                      0);
        return HS_STEP_MORE;
    case HS_LEAD_DEOPT:
        return hs_frame_at_deopt(c);
    case HS_LEAD_INTERP:
        return hs_frame_interpreted(c, s->lead_pc, 1);
    default:
        return HS_STEP_MORE;
    }
}

/* Walk one start to its end. */
static enum hs_step try_start(struct hs_cursor *c, const struct hs_start *s)
{
    enum hs_step step = enter_start(c, s);
    for (uint32_t n = 0; step == HS_STEP_MORE && n < VERIFY_FRAMES_MAX; n++) {
        if (c->count > c->max && c->trust <= HS_TRUST_EXACT && hs_chunks_may_stop(c)) {
            hs_chunks_forget(c);
            return HS_STEP_END;
        }
        step = hs_frame_run(c);
    }
    hs_chunks_forget(c);
    return step == HS_STEP_MORE ? HS_STEP_FAIL : step;
}

static bool is_in_java(uint32_t state)
{
    return state == HS_THREAD_IN_JAVA || state == HS_THREAD_IN_JAVA_TRANS;
}

/* Add a start for a thread in which the VM is about to call Java, or has just called Java. The
 * anchor is then on its way between the thread and the call's wrapper. The Java code that called
 * the VM, if any, can be found without the anchor. */
static void add_caller_of_vm(struct hs_cursor *c, const struct regs *regs, struct hs_starts *starts)
{
    struct cfi_regs up = {regs->pc, regs->sp, regs->fp, regs->lr};
    if (hs_native_leave(c, &up, 1)) {
        struct hs_start s = {.pc = up.pc, .sp = up.sp, .fp = up.fp, .trust = HS_TRUST_SHIFTED};
        hs_top_add(starts, s);
    }
}

/* Find the guess for an interrupted instruction that was met before: there is only one. */
static int find_known(struct hs_cursor *c, const struct regs *regs, struct hs_starts *starts)
{
    const struct hs_top_cpu *cpu = hs_top_cpus[c->layout->cpu];
    if (!starts->may_cut || !c->top.call || !cpu->find_known)
        return 0;
    if (!hs_calls_find_top(c->calls, c->view, c->layout, regs->pc, c->top.call) ||
        (c->names && c->top.call->generation != c->names->generation)) {
        c->top.call->pc = 0;
        return 0;
    }
    starts->is_cut = cpu->find_known(c, regs, c->top.call, starts) != 0;
    return starts->is_cut;
}

static void find_starts(struct hs_cursor *c, const struct regs *regs, uint32_t state,
                        struct hs_starts *starts)
{
    uint64_t anchor = c->thread + (uint64_t)c->layout->thread_anchor;
    bool is_in_code = regs && hs_code_contains(c->layout, regs->pc);
    starts->count = 0;
    starts->is_cut = false;
    c->top.blob = (struct hs_blob){0};
    if (c->layout->thread_vframe_array >= 0 &&
        mem_view_u8(c->view, c->thread + (uint64_t)c->layout->thread_vframe_array) != 0) {
        struct hs_start s = {.lead = HS_LEAD_DEOPT, .trust = HS_TRUST_ANCHOR};
        hs_top_add(starts, s);
    }
    if (is_in_code && is_in_java(state) && !find_known(c, regs, starts)) {
        if (!hs_code_is_interpreter(c->layout, regs->pc))
            hs_code_find(c->view, c->layout, regs->pc, &c->top.blob);
        hs_top_cpus[c->layout->cpu]->find(c, regs, starts);
    }
    if (starts->is_cut)
        return; /* the other guesses are asked for again if these fail */
    if (hs_cursor_at_anchor(c, anchor)) {
        struct hs_start s = {.pc = c->pc, .sp = c->sp, .fp = c->fp, .trust = HS_TRUST_ANCHOR};
        hs_top_add(starts, s);
    } else if (regs && is_in_java(state) && !is_in_code) {
        if (c->unwind)
            unwind_is_ready(c->unwind); /* if not ready, this asks for rows */
        hs_top_cpus[c->layout->cpu]->find_native(c, regs, starts);
    } else if (regs && !is_in_code) {
        add_caller_of_vm(c, regs, starts);
    }
}

/* The stack pointer with which the thread left its last Java frame. */
static uint64_t anchor_sp_of(struct mem_view *v, const struct hs_layout *l, uint64_t java_thread)
{
    return mem_view_u8(v, java_thread + (uint64_t)l->thread_anchor + (uint64_t)l->anchor_sp);
}

/* Why no start led to the end. */
static enum walk_cause cause_of(const struct hs_cursor *c, const struct regs *regs, uint32_t state,
                                const struct hs_starts *starts)
{
    const struct hs_layout *l = c->layout;
    uint64_t anchor_sp = anchor_sp_of(c->view, l, c->thread);
    if (!is_in_java(state) && anchor_sp == 0)
        return WALK_NO_JAVA_FRAME;
    if (l->thread_vframe_array >= 0 &&
        mem_view_u8(c->view, c->thread + (uint64_t)l->thread_vframe_array) != 0)
        return WALK_DEOPT;
    if (!is_in_java(state))
        return WALK_NOT_WALKABLE_NOT_JAVA;
    if (regs && !hs_code_contains(l, regs->pc))
        return starts->count == 0 ? WALK_UNKNOWN_NOT_JAVA : WALK_NOT_WALKABLE_NOT_JAVA;
    return starts->count == 0 ? WALK_UNKNOWN_JAVA : WALK_NOT_WALKABLE_JAVA;
}

enum hs_step walk_vm_enter(struct hs_cursor *c, const struct hs_start *start)
{
    return enter_start(c, start);
}

int walk_vm_try(struct hs_cursor *c, const struct hs_start *start)
{
    return try_start(c, start) == HS_STEP_END;
}

static uint32_t state_of(struct mem_view *v, const struct hs_layout *l, uint64_t java_thread)
{
    return hs_layout_state(l, mem_view_u4(v, java_thread + (uint64_t)l->thread_state));
}

/* Take the first start whose walk reaches the end over at least `least` frames. Returns 1, or 0. */
static int try_starts(struct hs_cursor *c, const struct hs_starts *starts, uint32_t least,
                      struct hs_start *ret_start)
{
    for (uint32_t i = 0; i < starts->count; i++) {
        if (try_start(c, &starts->list[i]) == HS_STEP_END && c->count >= least) {
            *ret_start = starts->list[i];
            return 1;
        }
    }
    return 0;
}

static bool is_method_code(const struct hs_cursor *c, uint64_t pc)
{
    struct hs_blob blob;
    return hs_code_find(c->view, c->layout, pc, &blob) &&
           (blob.kind == HS_BLOB_NMETHOD || blob.kind == HS_BLOB_NATIVE);
}

/* Whether return addresses may be searched for on the stack. A compiled method's own return address
 * is never guessed. The return address of a stub or of C code is guessed as a last resort, if there
 * are no tables, or if the tables do not lead out of the code. */
static bool may_scan(const struct hs_cursor *c, const struct regs *regs)
{
    struct cfi_regs up = {regs->pc, regs->sp, regs->fp, regs->lr};
    if (is_method_code(c, regs->pc))
        return false;
    if (!c->unwind)
        return true;
    if (!unwind_is_ready(c->unwind))
        return false;
    return hs_code_contains(c->layout, regs->pc) || !hs_native_leave(c, &up, 1);
}

static int find_start(struct hs_cursor *c, const struct regs *regs, struct hs_start *ret_start)
{
    struct hs_starts starts;
    uint32_t state = state_of(c->view, c->layout, c->thread);
    if (state == 0)
        return -(1 + WALK_UNKNOWN_STATE);
    /* Java code called C code in the state "in Java": a walk without a Java frame is wrong. */
    uint32_t least = regs && is_in_java(state) && !hs_code_contains(c->layout, regs->pc);
    starts.may_cut = true;
    find_starts(c, regs, state, &starts);
    bool is_found = try_starts(c, &starts, least, ret_start);
    if (!is_found && starts.is_cut) {
        starts.may_cut = false;
        find_starts(c, regs, state, &starts);
        is_found = try_starts(c, &starts, least, ret_start);
    }
    if (is_found)
        return c->count > 0 ? 0 : -(1 + WALK_NO_JAVA_FRAME);
    enum walk_cause cause = cause_of(c, regs, state, &starts);
    if (!regs || !is_in_java(state) || !may_scan(c, regs))
        return -(1 + (int)cause);
    starts.count = 0;
    hs_top_cpus[c->layout->cpu]->scan(c, regs, &starts);
    if (!try_starts(c, &starts, least, ret_start))
        return -(1 + (int)cause);
    return c->count > 0 ? 0 : -(1 + WALK_NO_JAVA_FRAME);
}

/* Whether C code in the state "in Java" may be a signal handler: the handler of another profiler,
 * or ours in a thread that another thread has stopped. The code that the handler interrupted has
 * its own registers. */
static bool may_be_handler(const struct hs_cursor *c, const struct regs *regs)
{
    return c->unwind && !hs_code_contains(c->layout, regs->pc) &&
           is_in_java(state_of(c->view, c->layout, c->thread)) && unwind_is_ready(c->unwind);
}

int walk_vm_find(struct hs_cursor *c, const struct regs *regs, struct hs_start *ret_start)
{
    struct hs_call top;
    struct regs interrupted;
    if (regs && may_be_handler(c, regs)) {
        interrupted = *regs;
        hs_native_leave_handler(c, &interrupted);
        regs = &interrupted;
    }
    top.pc = 0;
    c->top.call = c->calls ? &top : NULL;
    ret_start->in_body = false;
    int error = find_start(c, regs, ret_start);
    if (error == 0 && ret_start->in_body && top.pc == ret_start->lead_pc)
        hs_compiled_keep_top(c);
    c->top.call = NULL;
    return error;
}

int walk_vm_open(struct hs_cursor *c, struct mem_view *view, const struct hs_memory *memory,
                 uint64_t java_thread, uint64_t sp, const void *window)
{
    uint32_t state = state_of(view, memory->layout, java_thread);
    if (view->faults != 0)
        return -(1 + WALK_FAULT);
    if (state == 0)
        return -(1 + WALK_UNKNOWN_STATE);
    if (sp == 0)
        return -(1 + WALK_NO_JAVA_FRAME);
    if (!hs_cursor_init(c, view, memory, java_thread, sp))
        return -(1 + WALK_BROKEN);
    /* Near the stack's lower end lie the VM's guard pages: no plain loads there. No plain loads
     * either if the limits do not look like those of a stack, for example because the JavaThread is
     * gone. */
    if (window && sp - (c->stack.high - c->stack.size) > GUARD_BYTES_MAX &&
        ((c->stack.high | c->stack.size) & (PAGE_BYTES - 1)) == 0 &&
        c->stack.size <= STACK_BYTES_MAX) {
        view->low = c->stack.low;
        view->high = c->stack.high;
        view->window = window;
    }
    return 0;
}

static int walk_thread(const struct hs_memory *memory, struct hs_names_visit *names,
                       uint64_t java_thread, const struct regs *regs, const void *window,
                       struct walk_frame *frames, uint32_t max, bool *ret_truncated)
{
    const struct hs_layout *layout = memory->layout;
    struct mem_view view = {.mem = memory->mem};
    struct hs_cursor c;
    struct hs_start start;
    *ret_truncated = 0;
    uint64_t sp = regs ? regs->sp : anchor_sp_of(&view, layout, java_thread);
    int error = walk_vm_open(&c, &view, memory, java_thread, sp, window);
    if (error < 0)
        return error;
    c.frames = frames;
    c.max = max;
    c.names = names;
    error = walk_vm_find(&c, regs, &start);
    if (error < 0)
        return error;
    *ret_truncated = c.count > max;
    return (int)(c.count > max ? max : c.count);
}

int walk_vm_thread(const struct hs_memory *memory, uint64_t java_thread, const struct regs *regs,
                   const void *window, struct walk_frame *frames, uint32_t max, bool *ret_truncated)
{
    return walk_thread(memory, NULL, java_thread, regs, window, frames, max, ret_truncated);
}

void walk_vm_prepare(const struct hs_memory *memory, struct hs_names *names)
{
    if (memory->calls)
        hs_calls_forget(memory->calls);
    own = memory;
    own_names = names;
}

void walk_vm_name(struct hs_names_visit *names, struct mem_view *view, struct walk_frame *frames,
                  int count, int marks_own)
{
    for (int i = 0; i < count; i++) {
        if (frames[i].kind == WALK_KIND_CPP)
            continue;
        if ((frames[i].flags & HS_FRAME_NAMED) == 0)
            frames[i].method = hs_names_find(names, view, frames[i].method);
        frames[i].flags &= (uint16_t)~HS_FRAME_NAMED;
        if (marks_own && i < OWN_CLASS_FRAMES &&
            hs_names_is_own(names->names, (uint32_t)frames[i].method))
            frames[i].flags |= WALK_FRAME_OWN;
    }
}

static int walk(struct walk_request *request, struct walk_frame *frames, uint32_t max,
                bool *ret_truncated)
{
    struct hs_names *names = own_names;
    struct regs regs;
    *ret_truncated = 0;
    if (!own || request->java_thread == 0)
        return -(1 + WALK_NO_THREAD);
    struct mem_view view = {.mem = own->mem};
    if (request->ucontext)
        regs_of_ucontext(request->ucontext, &regs);
    else
        regs.sp = anchor_sp_of(&view, own->layout, request->java_thread);
    /* All memory above the interrupted stack pointer of the running thread is mapped. */
    const void *window = request->is_other ? NULL : (const void *)(regs.sp & ~(uint64_t)7);
    struct hs_names_visit visit;
    if (names)
        hs_names_enter(names, &view, &visit);
    int count = walk_thread(own, names ? &visit : NULL, request->java_thread,
                            request->ucontext ? &regs : NULL, window, frames, max, ret_truncated);
    if (!names)
        return count;
    walk_vm_name(&visit, &view, frames, count, request->above > 0);
    request->kept = visit.half;
    return count;
}

void walk_vm_leave(struct walk_request *request)
{
    struct hs_names_visit visit = {.half = request->kept};
    hs_names_leave(&visit);
    request->kept = NULL;
}

const struct walker walk_vm = {
    .name = "vm", .names = WALK_NAMES_VM, .walk = walk, .leave = walk_vm_leave};
