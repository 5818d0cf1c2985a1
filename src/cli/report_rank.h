/*
 * report_rank.h - the rows of a report's table that is made of sums: the largest first.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/event.h"

struct profile;
struct report_how;
struct sum;
struct sums;

/**
 * All rows, ranked by their value of the number `value`; equal ones by the names of their classes,
 * by their texts, and by their traces. NULL: no memory. Owner: free(); the rows stay the profile's.
 */
const struct sum **report_rank(struct profile *profile, const struct sums *sums, uint32_t value);
/**
 * The same of all events of a kind, but where stacks are shown by their innermost frames alone,
 * rows that would look alike are one row with the trace of one of them. *ret_count: rows. Owner:
 * free(), which gives the rows back, too.
 */
const struct sum **report_rank_shown(const struct report_how *r, struct profile *profile,
                                     enum kind_id kind, uint32_t value, uint32_t *ret_count);
