/*
 * hs_native.h - from C or C++ code to its callers, by the rows of the cursor's unwind.h.
 *
 * Java code calls some C code without leaving an anchor (JavaThread state "in Java"). For such C
 * code, the rows are the only sure way to the Java frames.
 * Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "safe/cfi.h"
#include "safe/hs_cursor.h"

/**
 * Go one frame up, in place. `pc` finds the row: r->pc, or r->pc less 1 for a return address.
 * Interrupted code without a row is taken for a leaf that pushes nothing. Returns 1; 0 if this was
 * the thread's first frame; -1 if no caller can be found, and then `r` is unchanged. *interrupted
 * means the same as for cfi_step().
 */
int hs_native_step(const struct hs_cursor *c, uint64_t pc, struct cfi_regs *r, bool *interrupted);

/** Leave hand-written code whose return address lies on top of the stack. That word must be an
 * address in code with rows. Returns 1, or -1. */
int hs_native_step_leaf(const struct hs_cursor *c, struct cfi_regs *r);

/** Go from C code up to the generated code that called it, in place. `interrupted`: r->pc is an
 * instruction, not a return address. Returns 1; or 0 if the rows do not lead to generated code, or
 * there are no rows. */
int hs_native_leave(const struct hs_cursor *c, struct cfi_regs *r, bool interrupted);

/** Replace `regs` if they stand in a signal handler that interrupted generated code, or C code that
 * generated code called. The new registers are those of the interrupted code. Otherwise `regs` stay
 * unchanged. */
void hs_native_leave_handler(const struct hs_cursor *c, struct regs *regs);
