/*
 * asgst_calltrace.c - AsyncGetCallTrace with the id of the thread to walk.
 *
 * Runs in signal handlers, under the rules of src/safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "asgst/asgst_calltrace.h"
#include "asgst/asgst_target.h"
#include "safe/asgst_thread.h"
#include "safe/mem_self.h"
#include "safe/walk.h"
#include <asgct.h>
#include <asgst_ready.h>

enum { LINENO_NATIVE = -3 };

/* The first causes of enum walk_cause have the numbers of AsyncGetCallTrace's codes. Source:
 * walk_cause.def, HotSpot forte.cpp. */
int asgst_calltrace_code(int error)
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
        trace->num_frames = asgst_calltrace_code(error);
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
