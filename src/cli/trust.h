/*
 * trust.h - how far the numbers of a profile can be trusted, in a few lines.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct profile;

enum { TRUST_DRAWABLE = 512 }; /* bytes of trust_drawable()'s text */

/** Why a recording may have no event, and what to do: a sentence for each source that was on; ""
 * where nothing is known. */
void trust_why_none(const struct profile *profile, char *to, size_t room);

/**
 * What a recording has that no table of a report shows: types of events with stacks, and the option
 * that draws the first of them. Returns false, *to "", where it has none.
 */
bool trust_drawable(struct profile *profile, char *to, size_t room);

/** Per cent of the stacks that end at the depth limit. */
double trust_percent_cut(const struct profile *profile);

/**
 * Prints in a line how many samples there are, how much CPU time they stand for, and how many have
 * their stack, whole; then hints, where something can be done. `is_verbose`: then all counts of the
 * profile, by what they are about. `ticks`: those of its tables, rows below the cutoff included.
 */
void trust_print(FILE *out, struct profile *profile, uint64_t ticks, bool is_verbose);
