/*
 * threads_summary.h - summarises a thread dump: groups of equal stacks, states, contended locks.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct threaddump;
struct threads_outside;

/** Prints Java threads with the same state and frames as one group, the largest group first.
 * Errors: 0, -ENOMEM. */
int threads_summary_groups(const struct threaddump *d);
/** Prints how many threads are in each state, the locks that several threads wait for with their
 * owners, and the deadlocks. Errors: as above. */
int threads_summary_print(const struct threaddump *d, const struct threads_outside *o);
/** Prints only the locks that threads wait for. Errors: as above. */
int threads_summary_locks(const struct threaddump *d, const struct threads_outside *o);
