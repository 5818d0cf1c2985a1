/*
 * query_sample.h - the table `samples`: what was measured, from any profile that can be read.
 *
 * The table has the sums of reading/: of each kind of events one row for each stack, thread, class,
 * text and context, and for each value. Stacks become stacks of the query's model.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct query;
struct query_samples;

/** Adds the table. Errors: 0, -ENOMEM. */
int query_sample_open(struct query *q);
void query_sample_close(struct query_samples *s);
/** Reads the profiles of all inputs, once. A profile that cannot be read is told to the diag, and
 * the query is damaged. Errors: 0; -ENOMEM. */
int query_sample_load(struct query *q);
