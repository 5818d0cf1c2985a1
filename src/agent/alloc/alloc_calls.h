/*
 * alloc_calls.h - a cache for the frames of compiled code that allocations walk through again and
 * again.
 *
 * Most steps of walks repeat earlier steps. The return address determines the size of the frame,
 * the number of inlined levels in it, and the compile id of the nmethod; a key needs nothing else.
 * These facts are kept in a table that all threads share. An entry is valid as long as the same
 * nmethod lies at the address. (hs_calls.h is a similar table. It keeps more and trusts less. Here
 * every walk begins at the anchor that the VM itself has set, so the return addresses are certain.)
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct hs_cursor;

/**
 * Step from the frame at the cursor to its caller, as hs_frame_step() does. The function mixes the
 * names of the frames that it passes into *key, and adds their number to c->count. Frames that the
 * table already knows are not written to c->frames.
 *
 * Errors:  enum hs_step; HS_STEP_FAIL also if the callers of a virtual thread's frame are in the
 *          heap.
 * Context: java, on the thread whose stack is walked.
 */
int alloc_calls_step(struct hs_cursor *c, uint64_t *key);
