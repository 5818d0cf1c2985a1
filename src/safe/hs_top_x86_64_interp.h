/*
 * hs_top_x86_64_interp.h - Java threads on x86-64 that were interrupted in the interpreter.
 * Reads and context: hs_top.h. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/hs_top.h"

/** Add the guesses for a pc in the interpreter: while a method is entered, in a whole frame, and
 * while a method is left. */
void hs_top_x86_64_interp(const struct hs_cursor *c, const struct regs *r, struct hs_starts *s);
