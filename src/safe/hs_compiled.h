/*
 * hs_compiled.h - frames of compiled code: their levels of inlining, and the step to their caller.
 *
 * What was found out at a place is kept in hs_calls.h, so that most steps are looked up there.
 * Source: HotSpot nmethod.cpp, scopeDesc.cpp, frame_x86.cpp. Reads and context: hs_frame.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "safe/hs_cursor.h"

/** Append all levels of compiled code at `pc`; `is_return`: pc is a return address. 1, or 0. */
int hs_compiled_add(struct hs_cursor *c, const struct hs_blob *blob, uint64_t pc, bool is_return);

/** Append all levels of the interrupted instruction: those of top_call if that is known; else they
 * are put there. 1, or 0. */
int hs_compiled_add_top(struct hs_cursor *c, uint64_t pc);

/** Keep top_call in hs_calls.h. */
void hs_compiled_keep_top(struct hs_cursor *c);

/** As hs_frame_step(), where the cursor's pc is a return address into the nmethod `blob`. */
enum hs_step hs_compiled_step(struct hs_cursor *c, const struct hs_blob *blob);

/** As hs_frame_step(), where hs_calls.h knows the call site: returns 1, and *ret_step is what the
 * step gave; 0 where the site is not known. */
int hs_compiled_step_known(struct hs_cursor *c, enum hs_step *ret_step);

/** The steps over known call sites from here on, until there are more frames than c->max. Not in a
 * chunk, and not while c->frozen.awaits asks for anything. */
void hs_compiled_run(struct hs_cursor *c);
