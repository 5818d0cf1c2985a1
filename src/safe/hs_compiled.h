/*
 * hs_compiled.h - frames of compiled code: their levels of inlining, and the step to their caller.
 *
 * What was found out about a place is kept in hs_calls.h; most steps need only a lookup there.
 * Source: HotSpot nmethod.cpp, scopeDesc.cpp, frame_x86.cpp. Reads and context: hs_frame.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "safe/hs_cursor.h"

/** Append all levels of the compiled code at `pc`. `is_return`: `pc` is a return address. Returns
 * 1, or 0 if the nmethod has no method. */
int hs_compiled_add(struct hs_cursor *c, const struct hs_blob *blob, uint64_t pc, bool is_return);

/** Append all levels of the interrupted instruction at `pc`. c->top.call has them if its pc is
 * `pc`; else they are decoded and put there. Returns 1, or 0. */
int hs_compiled_add_top(struct hs_cursor *c, uint64_t pc);

/** Keep c->top.call in hs_calls.h. */
void hs_compiled_keep_top(struct hs_cursor *c);

/** Do the same as hs_frame_step() for a return address (c->pc) into the nmethod `blob`. */
enum hs_step hs_compiled_step(struct hs_cursor *c, const struct hs_blob *blob);

/** Do the same as hs_frame_step() if hs_calls.h knows the call site: returns 1, and *ret_step is
 * the result of the step. Returns 0 if the site is not known. */
int hs_compiled_step_known(struct hs_cursor *c, enum hs_step *ret_step);

/** Step over known call sites from here on, until a site is not known or there are more frames than
 * c->max. The cursor must not be in a chunk, and c->frozen.awaits must be HS_AWAITS_NONE. */
void hs_compiled_run(struct hs_cursor *c);
