/*
 * report_rank.h - sorts the rows of a table of sums: the largest first.
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
 * All rows, sorted by their value number `value`. Equal rows are sorted by the name of the class,
 * then the text, then the trace. NULL: no memory. Owner: free(); the rows stay the profile's.
 */
const struct sum **report_rank(struct profile *profile, const struct sums *sums, uint32_t value);
/**
 * Works like report_rank() for all events of a kind. But if stacks are shown only by their
 * innermost frames, rows that would look alike are merged into one, with the trace of one of them.
 * *ret_count is the number of rows. Owner: free(), which also frees the rows.
 */
const struct sum **report_rank_shown(const struct report_how *r, struct profile *profile,
                                     enum kind_id kind, uint32_t value, uint32_t *ret_count);
