/*
 * alloc_calls.h - frames of compiled code that allocations pass again and again.
 *
 * Most steps of a walk are the same ones: from a return address follow the size of its frame, the
 * levels of inlining in it and the nmethod's compile id, and no more is needed for a key. They are
 * kept in a table that all threads share; an entry is good as long as the same nmethod holds the
 * address (see hs_calls.h, which keeps more and trusts less: here every walk begins at the VM's
 * own anchor). SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct hs_cursor;

/**
 * One step, as hs_frame_step(): to the caller of the frame at the cursor. Stirs what names the
 * frames passed into *key. c->count grows by their number, of which those that are known already
 * are not written to c->frames.
 *
 * Errors: enum hs_step; HS_STEP_FAIL also where the callers of a virtual thread's frame are in the
 * heap. Context: the thread whose stack it is.
 */
int alloc_calls_step(struct hs_cursor *c, uint64_t *key);
