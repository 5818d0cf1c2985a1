/*
 * asgst_classic.c - whole stacks in one call: AsyncGetStackTrace, and AsyncGetCallTrace with a
 * thread id.
 *
 * Runs in signal handlers, under the rules of src/safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "asgst/asgst_vm.h"
#include "safe/asgst_iter.h"
#include "safe/asgst_thread.h"
#include "safe/mem_self.h"
#include "safe/regs.h"
#include "safe/walk.h"
#include <profile.h>

#define BCI_UNKNOWN 65535
#define LINENO_NATIVE (-3)

/* AsyncGetCallTrace's codes are those of the first causes. Source: walk_cause.def, HotSpot
 * forte.cpp. */
static jint code_of(int error)
{
    enum walk_cause cause = (enum walk_cause)(-error - 1);
    return cause <= WALK_SAFEPOINT ? -(jint)cause : -(jint)WALK_NOT_WALKABLE_NOT_JAVA;
}

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

void AsyncGetStackTrace(ASGST_CallTrace *trace, jint depth, void *ucontext, uint32_t options)
{
    const struct asgst_vm *vm = asgst_vm_get();
    int wants_all = (options & ASGST_INCLUDE_C_FRAMES) != 0;
    struct mem_view v = {.mem = &mem_self};
    struct asgst_iter it;
    struct regs regs;
    trace->kind = ASGST_UNKNOWN_TRACE;
    trace->num_frames = -(jint)WALK_UNKNOWN_NOT_JAVA;
    if (vm == NULL || ucontext == NULL)
        return;
    regs_of_ucontext(ucontext, &regs);
    uint64_t thread = asgst_thread_current(&mem_self, vm->layout);
    int error = thread == 0 ? -(1 + WALK_NO_JAVA_FRAME) : 0;
    if (error == 0)
        error = asgst_iter_begin(&it, &mem_self, vm->layout, thread, &regs,
                                 (const void *)(regs.sp & ~(uint64_t)7), wants_all);
    if (error == 0) {
        trace->kind = ASGST_JAVA_TRACE;
    } else if (error == -(1 + WALK_NO_JAVA_FRAME)) {
        trace->kind = ASGST_CPP_TRACE;
        trace->num_frames = 0;
        if (!wants_all || !(options & ASGST_INCLUDE_NON_JAVA_THREADS))
            return;
        asgst_iter_begin_native(&it, &mem_self, vm->layout->cpu, &regs);
    } else {
        trace->num_frames = code_of(error);
        return;
    }
    if (thread != 0 && vm->layout->thread_vframe_array >= 0 &&
        mem_view_u8(&v, thread + (uint64_t)vm->layout->thread_vframe_array) != 0)
        trace->kind = ASGST_DEOPT_TRACE;
    trace->num_frames = fill(&it, vm->layout, trace, depth);
}

static void put_env(const struct asgst_vm *vm, uint64_t thread, ASGCT_CallTrace *trace)
{
    uint64_t offset = __atomic_load_n(&vm->env_offset, __ATOMIC_ACQUIRE);
    if (trace->env_id == NULL && offset != 0)
        trace->env_id = (JNIEnv *)(thread + offset);
}

void ASGST_AsyncGetCallTrace(ASGCT_CallTrace *trace, jint depth, void *ucontext, jlong os_thread_id)
{
    const struct asgst_vm *vm = asgst_vm_get();
    struct mem_view v = {.mem = &mem_self};
    struct asgst_iter it;
    struct asgst_iter_frame f;
    struct regs regs;
    trace->num_frames = -(jint)WALK_UNKNOWN_NOT_JAVA;
    if (vm == NULL || ucontext == NULL)
        return;
    regs_of_ucontext(ucontext, &regs);
    uint64_t own = asgst_thread_current(&mem_self, vm->layout);
    uint64_t thread =
        os_thread_id == -1 ? own : asgst_thread_of_tid(&v, vm->layout, (int32_t)os_thread_id);
    if (thread == 0) {
        trace->num_frames = -(jint)WALK_THREAD_EXIT;
        return;
    }
    put_env(vm, thread, trace);
    /* Another thread's stack may go away while it is read: then through guarded loads only. */
    const void *window = thread == own ? (const void *)(regs.sp & ~(uint64_t)7) : NULL;
    int error = asgst_iter_begin(&it, &mem_self, vm->layout, thread, &regs, window, 0);
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
