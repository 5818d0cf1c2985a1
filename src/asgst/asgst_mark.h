/*
 * asgst_mark.h - traces of a producer's visit of its queue.
 *
 * A producer is the thread of a queue; a visit is a call in which the producer uses its queue. The
 * consumer looks at the mark to learn whether the signal handler that made the visit has returned.
 *
 * A handler that was given a pointer to a waiting element may write to the element until the
 * handler returns, and nobody tells the consumer of the return. But the kernel blocks a signal
 * while its handler runs. So the mark is the set of signals that are blocked during the visit and
 * were not blocked in the code that the signal interrupted. The thread unblocks these signals when
 * the handler returns, and asgst_queue.c sees this from another thread.
 * Source: signal(7), sigaction(2): sa_mask, SA_NODEFER.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdint.h>
struct asgst_vm;

/** Bit n - 1 of a mask stands for signal n. All fields are 0 at first. Only the queue's thread
 * writes them. */
struct asgst_mark {
    /* signals that were blocked in handlers but not in the interrupted code, at any visit */
    _Atomic uint64_t handler_bits;
    /* the signals of handler_bits that were blocked at the last visit; 0: the visit was outside of
     * handlers */
    _Atomic uint64_t inside_bits;
    /* The JavaThread at the last visit, and the stack pointer of its anchor, which says where the
     * thread stood in the VM. anchor_sp is 0 unless the thread was in native code or blocked. */
    _Atomic uint64_t thread, anchor_sp;
};

/**
 * Note a visit of the calling thread. `ucontext` is that of the signal handler; NULL: not known.
 *
 * Reads the signal mask in the ucontext, and reads the thread's state and anchor by guarded loads.
 * Context: signal.
 */
void asgst_mark_visit(struct asgst_mark *m, const struct asgst_vm *vm, const void *ucontext);

/** Whether the thread still stands where it stood in the VM at its last visit. Any thread may ask,
 * because the JavaThread is read by guarded loads. Context: signal. */
int asgst_mark_stands(const struct asgst_mark *m, const struct asgst_vm *vm);
