/*
 * vm_step.h - the frame of the instruction that JVM TI's SingleStep event tells of.
 *
 * The event has the method and the place of the instruction, and JVM TI gives no operand. The
 * interpreter's frame has the version of the method and the operands. The calling thread owns this
 * frame: in the event the thread has left Java through the anchor of its JavaThread, and the
 * interpreter has pushed the values that it had in registers. So an operand is one load. No code is
 * woven into the method; the VM would send steps for woven code as well.
 *
 * From JDK 11 on a return instruction tests whether the thread is to stop. If it is, the VM sends
 * the event for this instruction a second time: vm_step_is_again().
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
    uint64_t frame; /* address of the frame */
    uint64_t from;  /* the place in the interpreter from which the step was sent */
    /* Method* of the version that runs; another one after the class was redefined */
    uint64_t version;
    const volatile uint64_t *stack; /* the operands, the topmost first */
};

/**
 * Get the capability of the event and make the VM call `heard`: vm_event_hear_steps().
 * Errors:  0; E_UNSUPPORTED.
 * Context: OnLoad.
 */
int vm_step_open(const struct vm *vm, jvmtiEventSingleStep heard);
/** Learn the offsets that vm_step_look() reads. Errors: 0; E_UNSUPPORTED. Context: java. */
int vm_step_learn(const struct vm *vm, JNIEnv *env);
/** Turn the event on or off for all threads. Errors: 0; E_UNSUPPORTED. Context: java. */
int vm_step_turn(const struct vm *vm, jvmtiEventMode mode);
/**
 * Get the frame of the calling thread, which is in a handler of SingleStep. Returns false if there
 * is no such frame.
 *
 * Memory: the thread's own JavaThread, and the thread's own stack above the frame that asks. The
 * stack does not change until the handler returns; only a collector may change references in it
 * meanwhile.
 * Context: java, in that handler.
 */
bool vm_step_look(JNIEnv *env, struct vm_step *ret);
/** Whether this step is the same return instruction as the thread's last step, sent a second time.
 * `offset` is that of the instruction in its method. Another call of the method would begin with
 * its first instruction. */
bool vm_step_is_again(const struct vm_step *s, const struct vm_step *last, uint32_t offset);
/** The topmost operand as an int. */
static inline int32_t vm_step_int(const struct vm_step *s)
{
    return (int32_t)s->stack[0];
}
/** The int below the topmost operand. */
static inline int32_t vm_step_int_below(const struct vm_step *s)
{
    return (int32_t)s->stack[1];
}
/** Whether the topmost operand is a null reference. */
static inline bool vm_step_is_null(const struct vm_step *s)
{
    return s->stack[0] == 0;
}
/** Whether the two topmost operands are references to one object. The answer is right even if a
 * collector moves the object meanwhile. */
bool vm_step_is_same(const struct vm_step *s);
