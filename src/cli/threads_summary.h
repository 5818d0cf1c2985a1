/*
 * threads_summary.h - what a thread dump comes to: equal stacks together, states, contended locks.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct threaddump;

/** Java's threads with the same state and frames as one, the largest group first. Errors: 0,
 * -ENOMEM. */
int threads_summary_groups(const struct threaddump *d);
/** How many threads are in which state, which locks several wait for and who has them. Errors
 * likewise. */
int threads_summary_print(const struct threaddump *d);
