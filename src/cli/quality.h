/*
 * quality.h - how far the numbers of a profile can be trusted, in a few lines.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include <stdio.h>

struct profile;

/** The count of that name in the profile, 0 if it has none. */
uint64_t quality_value(const struct profile *profile, const char *name);

/**
 * Prints how many samples there are, how much CPU time they stand for, how many were walked, lost
 * or cut short, and why, as far as the profile says. `ticks`: those of its tables, rows below the
 * cutoff included.
 */
void quality_print(FILE *out, struct profile *profile, uint64_t ticks);
