/*
 * asgst_walk.c - iterators: ASGST_RunWithIterator and its companions.
 *
 * Runs in signal handlers, under the rules of src/safe. Reads the same memory as asgst_iter.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "asgst/asgst_walk.h"
#include "asgst/asgst_helper.h"
#include "asgst/asgst_target.h"
#include "hotspot/hotspot.h"
#include "hotspot/hotspot_self.h"
#include "safe/asgst_thread.h"
#include "safe/mem_self.h"
#include "safe/regs.h"
#include "safe/unwind.h"

/* The bits of a thread's state. Source: JVM TI specification, GetThreadState. */
enum {
    THREAD_ALIVE = 0x0001,
    THREAD_TERMINATED = 0x0002,
    THREAD_RUNNABLE = 0x0004,
    THREAD_WAITING_INDEFINITELY = 0x0010,
    THREAD_SLEEPING = 0x0040,
    THREAD_WAITING = 0x0080,
    THREAD_IN_OBJECT_WAIT = 0x0100,
    THREAD_BLOCKED = 0x0400,
    THREAD_IN_NATIVE = 0x400000,
};

/* Values of OSThread::_state. Source: osThread.hpp. */
enum { OS_MONITOR_WAIT = 3, OS_CONDVAR_WAIT = 4, OS_OBJECT_WAIT = 5, OS_SLEEPING = 7 };

int asgst_walk_error(int error)
{
    switch ((enum walk_cause)(-error - 1)) {
    case WALK_NO_JAVA_FRAME:
        return ASGST_NO_TOP_JAVA_FRAME;
    case WALK_DEOPT:
        return ASGST_UNSAFE_STATE;
    case WALK_THREAD_EXIT:
        return ASGST_THREAD_EXIT;
    case WALK_NO_THREAD:
        return ASGST_NO_THREAD;
    case WALK_FAULT:
        return ASGST_MEMORY_FAULT;
    case WALK_UNKNOWN_STATE:
        return ASGST_UNKNOWN_STATE;
    default:
        return ASGST_NOT_WALKABLE;
    }
}

int asgst_walk_thread(const struct asgst_vm *vm, uint64_t *ret_thread)
{
    if (!vm)
        return ASGST_NOT_READY;
    uint64_t thread = asgst_thread_current(&mem_self, vm->layout);
    struct mem_view v = {.mem = &mem_self};
    if (thread == 0)
        return ASGST_NO_THREAD;
    if (vm->facts.not_terminated != 0 && vm->layout->thread_terminated >= 0 &&
        mem_view_s4(&v, thread + (uint64_t)vm->layout->thread_terminated) !=
            vm->facts.not_terminated)
        return ASGST_THREAD_EXIT;
    *ret_thread = thread;
    return 0;
}

static void init(struct _ASGST_Iterator *it, int options)
{
    it->is_replay = false;
    it->ends_on_java = (options & ASGST_END_ON_FIRST_JAVA_FRAME) != 0;
    it->state = 1;
}

static int begin(struct _ASGST_Iterator *it, void *ucontext, int options)
{
    const struct asgst_vm *vm = asgst_vm_get();
    bool wants_all = (options & ASGST_INCLUDE_NON_JAVA_FRAMES) != 0;
    struct regs regs;
    uint64_t thread = 0;
    init(it, options);
    if (ucontext)
        regs_of_ucontext(ucontext, &regs);
    int error = asgst_walk_thread(vm, &thread);
    if (error == ASGST_NO_THREAD && wants_all && ucontext) {
        asgst_iter_begin_native(&it->live, vm->memory, &regs, asgst_target_may_read());
        return ASGST_NON_JAVA_TRACE;
    }
    if (error < 0)
        return error;
    /* The memory above the interrupted stack pointer is mapped, because the thread itself runs this
     * code. */
    const void *window = ucontext ? (const void *)(regs.sp & ~(uint64_t)7) : NULL;
    error =
        asgst_iter_begin(&it->live, vm->memory, thread, ucontext ? &regs : NULL, window, wants_all);
    if (error == 0)
        return ASGST_JAVA_TRACE;
    error = asgst_walk_error(error);
    if (error != ASGST_NO_TOP_JAVA_FRAME || !wants_all || !ucontext)
        return error;
    asgst_iter_without_java(&it->live);
    return ASGST_NON_JAVA_TRACE;
}

int asgst_walk_begin(struct _ASGST_Iterator *it, void *ucontext, int options)
{
    int result = begin(it, ucontext, options);
    if (result > 0 && (options & ASGST_INCLUDE_NON_JAVA_FRAMES) != 0 &&
        !unwind_is_ready(&hotspot_self_unwind))
        asgst_helper_wake();
    return result;
}

int ASGST_RunWithIterator(void *ucontext, int32_t options, ASGST_IteratorHandler fun,
                          void *argument)
{
    struct _ASGST_Iterator it;
    int result = asgst_walk_begin(&it, ucontext, options);
    if (result > 0)
        fun(&it, argument);
    return result;
}

int ASGST_RunWithIteratorFromFrame(void *sp, void *fp, void *pc, int options,
                                   ASGST_IteratorHandler fun, void *argument)
{
    const struct asgst_vm *vm = asgst_vm_get();
    struct _ASGST_Iterator it;
    struct regs regs = {.pc = (uint64_t)pc, .sp = (uint64_t)sp, .fp = (uint64_t)fp};
    uint64_t thread = 0;
    init(&it, options);
    int error = asgst_walk_thread(vm, &thread);
    if (error < 0)
        return error;
    error = asgst_iter_begin_at(&it.live, vm->memory, thread, &regs, NULL,
                                (options & ASGST_INCLUDE_NON_JAVA_FRAMES) != 0);
    if (error < 0)
        return asgst_walk_error(error);
    fun(&it, argument);
    return ASGST_JAVA_TRACE;
}

void asgst_walk_replay(struct _ASGST_Iterator *it, const struct asgst_ring_frame *frames,
                       uint32_t count, int end_state, int options)
{
    init(it, options);
    it->is_replay = true;
    it->replay = (struct asgst_walk_replay){frames, count, 0, end_state};
}

void ASGST_RewindIterator(ASGST_Iterator *iterator)
{
    if (!iterator)
        return;
    iterator->state = 1;
    iterator->replay.next = 0;
    if (!iterator->is_replay)
        asgst_iter_rewind(&iterator->live);
}

static int next_replayed(struct asgst_walk_replay *r, struct asgst_iter_frame *f)
{
    if (r->next >= r->count)
        return r->end_state;
    const struct asgst_ring_frame *s = &r->frames[r->next++];
    *f = (struct asgst_iter_frame){.method = s->method,
                                   .pc = s->pc,
                                   .sp = s->sp,
                                   .fp = s->fp,
                                   .bci = s->bci,
                                   .level = s->level,
                                   .type = s->type};
    return 1;
}

int ASGST_NextFrame(ASGST_Iterator *iterator, ASGST_Frame *frame)
{
    struct asgst_iter_frame f = {0};
    memset(frame, 0, sizeof(*frame));
    frame->bci = -1;
    frame->comp_level = -1;
    if (!iterator)
        return ASGST_NO_FRAME;
    if (iterator->state != 1)
        return iterator->state;
    int result = iterator->is_replay ? next_replayed(&iterator->replay, &f)
                                     : asgst_iter_next(&iterator->live, &f);
    if (result == ASGST_ITER_BROKEN)
        result = ASGST_BROKEN_FRAME;
    iterator->state = result;
    if (result != 1)
        return result;
    frame->type = f.type == ASGST_ITER_STUB ? ASGST_FRAME_NON_JAVA : f.type;
    frame->pc = (void *)f.pc;
    frame->sp = (void *)f.sp;
    frame->fp = (void *)f.fp;
    if (iterator->ends_on_java && (f.type == ASGST_ITER_JAVA || f.type == ASGST_ITER_INLINED)) {
        frame->type = ASGST_FRAME_JAVA;
        iterator->state = ASGST_NO_FRAME;
        return ASGST_NO_FRAME;
    }
    frame->comp_level = (int)f.level;
    frame->bci = f.bci;
    frame->method = (ASGST_Method)f.method;
    return 1;
}

int ASGST_State(ASGST_Iterator *iterator)
{
    return iterator ? iterator->state : ASGST_NO_FRAME;
}

/* The state of a blocked thread whose Thread object cannot be read: its OSThread says why the VM
 * blocks the thread. */
static int blocked_state(const struct hs_layout *l, uint64_t thread)
{
    struct mem_view v = {.mem = &mem_self};
    if (l->osthread_state < 0 || l->thread_osthread < 0)
        return 0;
    uint64_t osthread = mem_view_u8(&v, thread + (uint64_t)l->thread_osthread);
    switch (mem_view_u4(&v, osthread + (uint64_t)l->osthread_state)) {
    case OS_MONITOR_WAIT:
        return THREAD_BLOCKED;
    case OS_OBJECT_WAIT:
        return THREAD_WAITING | THREAD_IN_OBJECT_WAIT;
    case OS_CONDVAR_WAIT:
        return THREAD_WAITING;
    case OS_SLEEPING:
        return THREAD_WAITING | THREAD_SLEEPING;
    default:
        return 0;
    }
}

static int status_of(const struct asgst_vm *vm, uint64_t thread, uint32_t state)
{
    struct mem_view v = {.mem = &mem_self};
    int status = asgst_status_of(&v, vm->layout, &vm->status, thread);
    if (status >= 0)
        return status;
    status = state == HS_THREAD_BLOCKED ? blocked_state(vm->layout, thread) : 0;
    return THREAD_ALIVE | (status != 0 ? status : THREAD_RUNNABLE);
}

int ASGST_ThreadState(void)
{
    const struct asgst_vm *vm = asgst_vm_get();
    struct mem_view v = {.mem = &mem_self};
    uint64_t thread;
    int error = asgst_walk_thread(vm, &thread);
    if (error == ASGST_THREAD_EXIT)
        return THREAD_TERMINATED;
    if (error < 0)
        return 0;
    uint32_t state =
        hs_layout_state(vm->layout, mem_view_u4(&v, thread + (uint64_t)vm->layout->thread_state));
    return status_of(vm, thread, state) | (state == HS_THREAD_IN_NATIVE ? THREAD_IN_NATIVE : 0);
}
