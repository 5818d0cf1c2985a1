/*
 * asgst_classic.c - a whole stack in one call: AsyncGetStackTrace.
 *
 * Runs in signal handlers, under the rules of src/safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "asgst/asgst_calltrace.h"
#include "asgst/asgst_target.h"
#include "safe/mem_self.h"
#include "safe/walk.h"
#include <asgst_ready.h>
#include <asgst_classic.h>

enum { BCI_UNKNOWN = 65535 };
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
        trace->num_frames = asgst_calltrace_code(error);
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
