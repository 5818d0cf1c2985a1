/*
 * trust.h - says in a few lines how far the numbers of a profile can be trusted.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct profile;

enum { TRUST_DRAWABLE = 512 }; /* size of the text of trust_drawable() */

/** Writes why a recording may have no events, and what to do: one sentence for each source that was
 * on; "" if nothing is known. */
void trust_why_none(const struct profile *profile, char *to, size_t room);

/**
 * Writes which types of events with stacks a recording has that no table of a report shows, and the
 * option that draws the first of them. Returns false, with *to "", if there are none.
 */
bool trust_drawable(struct profile *profile, char *to, size_t room);

/** The percentage of stacks that were cut at the depth limit. */
double trust_percent_cut(const struct profile *profile);

/**
 * Prints a line with the number of samples, the CPU time that they stand for, and how many have
 * their whole stack. Then prints hints, if the user can improve something. `is_verbose`: then
 * prints all counts of the profile, grouped by subject. `ticks` is the number of samples in its
 * tables, including rows below the cutoff.
 */
void trust_print(FILE *out, struct profile *profile, uint64_t ticks, bool is_verbose);
