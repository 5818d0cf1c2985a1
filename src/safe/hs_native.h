/*
 * hs_native.h - from C or C++ code to its callers, by the rows of the cursor's unwind.h.
 *
 * Java code calls some C code without leaving an anchor (JavaThread state "in Java"): there the way
 * up through the tables is the only sure one. Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "safe/cfi.h"
#include "safe/hs_cursor.h"

/**
 * One frame up, in place. `pc` names the row: r->pc, less 1 for a return address. Code without a
 * row is taken for a leaf that pushes nothing if it was interrupted. 1; 0 this was the thread's
 * first frame; -1 no way on, `r` as before. *interrupted: as of cfi_step().
 */
int hs_native_step(const struct hs_cursor *c, uint64_t pc, struct cfi_regs *r, bool *interrupted);

/** Hand-written code: its return address lies on top, if that is an address in code with rows. 1,
 * or -1. */
int hs_native_step_leaf(const struct hs_cursor *c, struct cfi_regs *r);

/** From C code up to the generated code that called it, in place. `interrupted`: r->pc is an
 * instruction, not a return address. 1, or 0: the rows do not lead to any, or there are none. */
int hs_native_leave(const struct hs_cursor *c, struct cfi_regs *r, bool interrupted);

/** Where `regs` stand in a signal's handler that interrupted generated code, or C code that such
 * code called: put what was interrupted in their place. Else they stay. */
void hs_native_leave_handler(const struct hs_cursor *c, struct regs *regs);
