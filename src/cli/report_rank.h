/*
 * report_rank.h - the rows of a report's table that is made of sums: the largest first.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct profile;
struct sum;
struct sums;

/**
 * All rows, ranked by their value of the number `value`; equal ones by the names of their classes,
 * by their texts, and by their traces. NULL: no memory. Owner: free(); the rows stay the profile's.
 */
const struct sum **report_rank(struct profile *profile, const struct sums *sums, uint32_t value);
