/*
 * query_aggregate.h - the aggregates percentile(x, p) and histogram(x).
 *
 * percentile() keeps all values of a group, 8 bytes each, in memory that SQLite bounds.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <sqlite3.h>

/** Makes the aggregates known. Errors: 0, -ENOMEM. */
int query_aggregate_open(sqlite3 *db);
