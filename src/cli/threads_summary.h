/*
 * threads_summary.h - what a thread dump comes to: equal stacks together, states, contended locks.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct threaddump;
struct threads_outside;

/** Java's threads with the same state and frames as one, the largest group first. Errors: 0,
 * -ENOMEM. */
int threads_summary_groups(const struct threaddump *d);
/** How many threads are in which state, which locks several wait for and who has them, and who is
 * in a deadlock. Errors likewise. */
int threads_summary_print(const struct threaddump *d, const struct threads_outside *o);
/** The locks that are waited for alone. Errors likewise. */
int threads_summary_locks(const struct threaddump *d, const struct threads_outside *o);
