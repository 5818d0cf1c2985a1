/*
 * vm_step.c - see vm_step.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm_step.h"
#include "base/err.h"
#include "vm/vm.h"
#include "vm/vm_env.h"
#include "vm/vm_event.h"
#include "vm/vm_threads.h"
#include "vm/vmself.h"

enum {
    /* the Method* of an interpreted frame, in words from the frame pointer */
    METHOD_SLOT = -3,
    /* the return address of the interpreter's call, in words from the top of the stack */
    RETURN_SLOT = -1,
    STACK_MAX = 256 << 20, /* how far a frame may lie above ours, in bytes */
    FRAME_MAX = 1 << 20,   /* how large a frame may be, in bytes: 65,535 operands and locals */
    COMPARISONS = 8,
};

static struct {
    intptr_t from_env; /* distance from the JNIEnv to the anchor's stack pointer */
    intptr_t to_frame; /* distance from there to the anchor's frame pointer */
    bool is_known;
} places;

int vm_step_open(const struct vm *vm, jvmtiEventSingleStep heard)
{
    int error = vm_env_ask(vm, vm->main, VM_CAN_GENERATE_SINGLE_STEP_EVENTS, NULL);
    if (!error)
        vm_event_hear_steps(heard);
    return error;
}

int vm_step_turn(const struct vm *vm, jvmtiEventMode mode)
{
    return (*vm->main)->SetEventNotificationMode(vm->main, mode, JVMTI_EVENT_SINGLE_STEP, NULL) ==
                   JVMTI_ERROR_NONE
               ? 0
               : E_UNSUPPORTED;
}

int vm_step_learn(const struct vm *vm, JNIEnv *env)
{
    uint64_t anchor, sp, fp;
    if (places.is_known)
        return 0;
    if (vm_threads_env_offset() == 0)
        vm_threads_open(vm, env);
    if (vm_threads_env_offset() == 0 || !vmself_field("JavaThread", "_anchor", &anchor) ||
        !vmself_field("JavaFrameAnchor", "_last_Java_sp", &sp) ||
        !vmself_field("JavaFrameAnchor", "_last_Java_fp", &fp))
        return E_UNSUPPORTED;
    places.from_env = (intptr_t)(anchor + sp) - vm_threads_env_offset();
    places.to_frame = (intptr_t)fp - (intptr_t)sp;
    places.is_known = true;
    return 0;
}

bool vm_step_look(JNIEnv *env, struct vm_step *ret)
{
    const char *at = (const char *)env + places.from_env;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    uintptr_t sp = *(const volatile uintptr_t *)at;
    uintptr_t fp = *(const volatile uintptr_t *)(at + places.to_frame);
    if (!places.is_known || sp <= here || sp - here > STACK_MAX || fp <= sp ||
        fp - sp > FRAME_MAX || fp % sizeof(uint64_t) != 0 || sp % sizeof(uint64_t) != 0)
        return false;
    ret->frame = fp;
    ret->from = ((const volatile uint64_t *)sp)[RETURN_SLOT];
    ret->version = ((const volatile uint64_t *)fp)[METHOD_SLOT];
    ret->stack = (const volatile uint64_t *)sp;
    return true;
}

/* Native code may call a method that has only a return instruction again, and the VM then sends the
 * step from the same place in the interpreter. So at offset 0 two steps are the same only if they
 * came from different places. */
bool vm_step_is_again(const struct vm_step *s, const struct vm_step *last, uint32_t offset)
{
    return s->frame == last->frame && s->version == last->version && s->stack == last->stack &&
           (offset != 0 || s->from != last->from);
}

/* A moving collector changes both operands in one pause, or as one frame. If the operands change
 * between two reads, one operand may be old and the other new; then both are read again. */
bool vm_step_is_same(const struct vm_step *s)
{
    uint64_t top = s->stack[0], below = s->stack[1];
    for (int i = 0; i < COMPARISONS; i++) {
        uint64_t now_top = s->stack[0], now_below = s->stack[1];
        if (now_top == top && now_below == below)
            break;
        top = now_top;
        below = now_below;
    }
    return top == below;
}
