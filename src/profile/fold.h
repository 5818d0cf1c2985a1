/*
 * fold.h - a smaller profile of the same samples: the smallest stacks become
 * one.
 *
 * For profiles that are still being read and have no room left. What is kept
 * and what is not are exact sums; only which stack the smallest had is lost.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include "profile/ids.h"

struct profile;

/** The one frame of the stack that stands for all that were folded. */
#define FOLD_FRAME "[smaller stacks]"

/** The only frame of the stack that stands for all that were folded; 0: no room. */
frame_id fold_frame(struct profile *p);
/**
 * A profile of this budget with the largest sums of samples of `p`, as many
 * as fit into `bytes`, and a sum of the others. Threads without samples, and
 * events of other kinds, are left out. NULL: no memory; `p` stays as it is.
 */
struct profile *fold_smallest(struct profile *p, size_t budget, size_t bytes);
