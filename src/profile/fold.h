/*
 * fold.h - makes a profile smaller: the stacks with the fewest samples become one stack.
 *
 * Readers use this when a profile that is being read has no room left. The sums of what is kept and
 * of what is folded are exact; only the stacks of the smallest sums are lost.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include "profile/ids.h"

struct profile;

/** The name of the only frame in the stack that stands for all folded stacks. */
#define FOLD_FRAME "[smaller stacks]"

/** The frame with this name; 0: no room. */
frame_id fold_frame(struct profile *p);
/**
 * Make a new profile with this budget. It gets the largest sums of samples of `p`, as many as fit
 * into `bytes`, and one sum of all others. Threads without samples, and events of other kinds, are
 * left out. NULL: no memory; `p` does not change.
 */
struct profile *fold_smallest(struct profile *p, size_t budget, size_t bytes);
