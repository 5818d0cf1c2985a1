/*
 * threads_print.h - prints a thread dump of a JVM: groups of equal stacks, states and contended
 * locks, or all as JSON. SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct sink;
struct threaddump;
struct threads_outside;

/** Prints Java threads with the same state and frames as one group, the largest group first.
 * Errors: 0, -ENOMEM. */
int threads_print_groups(const struct threaddump *d);
/** Prints how many threads are in each state, the locks that several threads wait for with their
 * owners, and the deadlocks. Errors: as above. */
int threads_print_summary(const struct threaddump *d, const struct threads_outside *o);
/** Prints only the locks that threads wait for. Errors: as above. */
int threads_print_locks(const struct threaddump *d, const struct threads_outside *o);
/** Writes the dump as members of a JSON object, which the caller has begun, the object's end and a
 * line break. Errors are the sink's. */
void threads_print_json(struct sink *s, const struct threaddump *d,
                        const struct threads_outside *o);
