/*
 * query_sums.h - the sums of all events by type, and the queries that only want these.
 *
 * A query for the number and the durations of events by type, as `select type, count(*),
 * sum(duration) from events group by type`, would have SQLite sort all events. The hidden table
 * `~events` has a row for each type, which one pass over the records gives. query_sums_rewrite()
 * finds queries that have the same answer from it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct query;

/** Adds the table. Errors: 0, -ENOMEM. */
int query_sums_open(struct query *q);
/**
 * The statement with the same answer from the sums, sqlite3_malloc'ed; NULL: it asks for something
 * else, or there is no memory. Its columns may have other names. `len` is the length of the
 * statement.
 */
char *query_sums_rewrite(const char *sql, int len);
