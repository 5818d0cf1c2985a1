/*
 * asgst_classic.c - a whole stack in one call: AsyncGetStackTrace, and AsyncGetCallTrace with the
 * id of the thread to walk.
 *
 * Runs in signal handlers, under the rules of src/safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <asgct.h>
#include <asgst_classic.h>
#include <asgst_ready.h>
#include "asgst/asgst_target.h"
#include "safe/asgst_thread.h"
#include "safe/mem_self.h"
#include "safe/walk.h"

enum { LINENO_NATIVE = -3, BCI_UNKNOWN = 65535 };

/* ---- AsyncGetCallTrace */

/* The code of a walk that could not begin, in both calls. `error` is -(1 + enum walk_cause). The
 * first causes of enum walk_cause have the numbers of AsyncGetCallTrace's codes. Source:
 * walk_cause.def, HotSpot forte.cpp. */
static int code_of(int error)
{
    enum walk_cause cause = (enum walk_cause)(-error - 1);
    return cause <= WALK_SAFEPOINT ? -(int)cause : -(int)WALK_NOT_WALKABLE_NOT_JAVA;
}

static uint64_t find_thread(const struct asgst_vm *vm, const ASGCT_CallTrace *trace,
                            jlong os_thread_id)
{
    struct mem_view v = {.mem = &mem_self};
    if (os_thread_id != -1)
        return asgst_thread_of_tid(&v, vm->layout, (int32_t)os_thread_id);
    if (trace->env_id)
        return asgst_thread_of_env(&v, vm->layout, (uint64_t)trace->env_id);
    return asgst_thread_current(&mem_self, vm->layout);
}

void ASGST_AsyncGetCallTrace(ASGCT_CallTrace *trace, jint depth, void *ucontext, jlong os_thread_id)
{
    const struct asgst_vm *vm = asgst_vm_get();
    struct mem_view v = {.mem = &mem_self};
    struct asgst_target target;
    struct asgst_iter it;
    struct asgst_iter_frame f;
    trace->num_frames = ASGST_NUM_FRAMES_NOT_READY;
    if (!vm)
        return;
    uint64_t thread = find_thread(vm, trace, os_thread_id);
    if (thread == 0) {
        trace->num_frames = -(jint)WALK_THREAD_EXIT;
        return;
    }
    asgst_target_of_thread(&target, vm, thread, ucontext);
    int error = asgst_target_begin(&target, vm, &it, 0);
    if (error < 0) {
        trace->num_frames = code_of(error);
        return;
    }
    jint count = 0;
    while (count < depth && asgst_iter_next(&it, &f) == ASGST_ITER_FRAME) {
        ASGCT_CallFrame *frame = &trace->frames[count++];
        frame->lineno = f.type == ASGST_ITER_NATIVE ? LINENO_NATIVE : f.bci;
        frame->method_id = (jmethodID)asgst_meta_jmethod_id(&v, vm->layout, f.method);
    }
    trace->num_frames = count;
}

/* ---- AsyncGetStackTrace */

static void put_frame(struct mem_view *v, const struct hs_layout *l,
                      const struct asgst_iter_frame *f, ASGST_CallFrame *ret_frame)
{
    if (f->type == ASGST_ITER_STUB || f->type == ASGST_ITER_CPP) {
        uint8_t type = f->type == ASGST_ITER_STUB ? ASGST_FRAME_STUB : ASGST_FRAME_CPP;
        ret_frame->non_java_frame = (ASGST_NonJavaFrame){.type = type, .pc = (void *)f->pc};
        return;
    }
    ret_frame->java_frame =
        (ASGST_JavaFrame){.type = f->type,
                          .comp_level = f->level,
                          .bci = f->type == ASGST_ITER_NATIVE ? 0
                                 : f->bci < 0                 ? BCI_UNKNOWN
                                                              : (uint16_t)f->bci,
                          .method_id = (jmethodID)asgst_meta_jmethod_id(v, l, f->method)};
}

static jint fill(struct asgst_iter *it, const struct hs_layout *l, ASGST_CallTrace *trace,
                 jint depth)
{
    struct mem_view v = {.mem = &mem_self};
    struct asgst_iter_frame f;
    jint count = 0;
    int state = ASGST_ITER_FRAME;
    while (count < depth && (state = asgst_iter_next(it, &f)) == ASGST_ITER_FRAME)
        put_frame(&v, l, &f, &trace->frames[count++]);
    return count == 0 && state < 0 ? -(jint)WALK_NOT_WALKABLE_JAVA : count;
}

static bool is_deoptimised(const struct asgst_vm *vm, uint64_t thread)
{
    struct mem_view v = {.mem = &mem_self};
    int32_t array = vm->layout->thread_vframe_array;
    return array >= 0 && mem_view_u8(&v, thread + (uint64_t)array) != 0;
}

static void walk_target(const struct asgst_vm *vm, const struct asgst_target *t,
                        ASGST_CallTrace *trace, jint depth, uint32_t options)
{
    bool wants_all = (options & ASGST_INCLUDE_C_FRAMES) != 0;
    struct asgst_iter it;
    int error = asgst_target_begin(t, vm, &it, wants_all);
    if (error == 0) {
        trace->kind = is_deoptimised(vm, t->thread) ? ASGST_DEOPT_TRACE : ASGST_JAVA_TRACE;
    } else if (error == -(1 + WALK_NO_JAVA_FRAME)) {
        trace->kind = ASGST_CPP_TRACE;
        trace->num_frames = 0;
        if (!wants_all || !(options & ASGST_INCLUDE_NON_JAVA_THREADS) || !t->has_regs)
            return;
        if (t->thread != 0)
            asgst_iter_without_java(&it);
        else
            asgst_iter_begin_native(&it, vm->memory, &t->regs, asgst_target_may_read());
    } else {
        trace->num_frames = code_of(error);
        return;
    }
    trace->num_frames = fill(&it, vm->layout, trace, depth);
}

void AsyncGetStackTrace(ASGST_CallTrace *trace, jint depth, void *ucontext, uint32_t options)
{
    const struct asgst_vm *vm = asgst_vm_get();
    struct asgst_target target;
    trace->kind = ASGST_UNKNOWN_TRACE;
    trace->num_frames = ASGST_NUM_FRAMES_NOT_READY;
    if (!vm)
        return;
    /* With C frames the walk begins at the caller: at this function's return address, with the
     * stack pointer after the return, and with the frame pointer that this function has saved. */
    if (!ucontext && (options & ASGST_INCLUDE_C_FRAMES) != 0)
        asgst_target_here(&target, vm, (uint64_t)__builtin_return_address(0),
                          (uint64_t)__builtin_dwarf_cfa(),
                          *(const uint64_t *)__builtin_frame_address(0));
    else
        asgst_target_of_ucontext(&target, vm, ucontext);
    walk_target(vm, &target, trace, depth, options);
}
