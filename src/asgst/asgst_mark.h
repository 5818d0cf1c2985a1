/*
 * asgst_mark.h - what a visit of a queue's thread leaves behind, so that the consumer can tell
 * whether the thread is still at it.
 *
 * A handler that was given a pointer to a waiting element may write to the element until the
 * handler returns, and nobody is told of that. But the kernel blocks a signal while its handler
 * runs: the signals that are blocked in a visit, and were not in the code that the signal met, are
 * a mark that the thread loses by returning. asgst_rest.h looks at it from outside.
 * Source: signal(7), sigaction(2): sa_mask, SA_NODEFER. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdint.h>
struct asgst_vm;

/** Masks have bit n - 1 for signal n. All 0 at first. Written by the queue's thread alone. */
struct asgst_mark {
    _Atomic uint64_t handler_bits; /* blocked in handlers, and not around them, at any visit */
    _Atomic uint64_t inside_bits;  /* of these, blocked at the last visit; 0: in no handler */
    /* Where the thread stood in the VM at the last visit: its JavaThread and the anchor's sp if the
     * VM waits for it nowhere (native code, blocked); else 0. */
    _Atomic uint64_t thread, anchor_sp;
};

/**
 * Note a visit of the calling thread. `ucontext`: the handler's, NULL not known.
 *
 * Reads the ucontext's signal mask, and the thread's state and anchor by guarded loads.
 * Context: signal.
 */
void asgst_mark_visit(struct asgst_mark *m, const struct asgst_vm *vm, const void *ucontext);

/** Whether the thread still stands in the VM where it stood at its last visit. Context: signal; any
 * thread: the JavaThread is read by guarded loads. */
int asgst_mark_stands(const struct asgst_mark *m, const struct asgst_vm *vm);
