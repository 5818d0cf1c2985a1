/*
 * vm_step.h - the frame of the instruction that JVM TI's SingleStep event tells of.
 *
 * The event has the method and the place, and JVM TI gives no operand. Both the version of the
 * method that the frame runs and the operands lie in the interpreter's frame, which the calling
 * thread owns: in the event it has left the VM through the anchor of its JavaThread, and the
 * interpreter has pushed what it had in registers before. So an operand is a load, and no code need
 * be woven in, in whose frames the VM would step as well.
 *
 * From JDK 11 on a return looks whether the thread is to stop, and if so the VM tells of it again:
 * vm_step_is_again().
 *
 * Source: HotSpot templateInterpreterGenerator (generate_safept_entry_for: the top of the stack is
 * pushed, then at_safepoint is called), interp_masm and macroAssembler (call_VM_base: the anchor's
 * stack pointer is the expression stack's), frame_x86.hpp and frame_aarch64.hpp.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

struct vm;

struct vm_step {
    uint64_t frame;                 /* where it lies */
    uint64_t from;                  /* the place in the interpreter that tells of the step */
    uint64_t version;               /* of the method: another one after the class was redefined */
    const volatile uint64_t *stack; /* the operands, the topmost first */
};

/** Get what the VM wants for the event, and have it call `heard`: vm_event_hear_steps(). Errors: 0;
 * E_UNSUPPORTED. Context: OnLoad. */
int vm_step_open(const struct vm *vm, jvmtiEventSingleStep heard);
/** Learn where the VM keeps what vm_step_look() reads. Errors: 0; E_UNSUPPORTED. Context: java. */
int vm_step_learn(const struct vm *vm, JNIEnv *env);
/** All threads step, or no longer. Errors: 0; E_UNSUPPORTED. Context: java. */
int vm_step_turn(const struct vm *vm, jvmtiEventMode mode);
/**
 * The frame of the calling thread, which is in a handler of SingleStep. Returns false where there
 * is none.
 *
 * Memory: the thread's own JavaThread, and its own stack above the frame that asks, which stays as
 * it is until the handler returns; only a collector may change references in it meanwhile.
 * Context: java, in that handler.
 */
bool vm_step_look(JNIEnv *env, struct vm_step *ret);
/**
 * Whether a return, at an offset in its method, is the one that the thread's last step told of, the
 * VM telling of it twice. Another call of the method would begin with its first instruction.
 */
bool vm_step_is_again(const struct vm_step *s, const struct vm_step *last, uint32_t offset);
/** The topmost operand, an int. */
static inline int32_t vm_step_int(const struct vm_step *s)
{
    return (int32_t)s->stack[0];
}
/** The int below the topmost operand. */
static inline int32_t vm_step_int_below(const struct vm_step *s)
{
    return (int32_t)s->stack[1];
}
/** Whether the topmost operand, a reference, is null. */
static inline bool vm_step_is_null(const struct vm_step *s)
{
    return s->stack[0] == 0;
}
/** Whether the two topmost operands are references to one object, wherever a collector moves it
 * meanwhile. */
bool vm_step_is_same(const struct vm_step *s);
