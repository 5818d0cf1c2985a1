/*
 * query_context.h - the table `contexts`: what threads worked for, of a profile of any format, with
 * a row for each key of each context that samples have.
 *
 * A context is a text, the same as in the column `context` of `samples`, by which both tables are
 * joined. Its rows are kept while the samples are read.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/ids.h"

struct query;
struct query_contexts;

/** Adds the table, whose rows are there after `load`. NULL: no memory. Owner:
 * query_context_close(). */
struct query_contexts *query_context_open(struct query *q, int (*load)(struct query *q));
void query_context_close(struct query_contexts *c);
/** Forgets all rows: the samples are read again. */
void query_context_clear(struct query_contexts *c);
/** Adds a key of a context; all are strings of the query's model. Errors: 0, -ENOMEM. */
int query_context_add(struct query_contexts *c, uint32_t input, string_id context, string_id key,
                      string_id value);
