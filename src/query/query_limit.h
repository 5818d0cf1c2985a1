/*
 * query_limit.h - what a query may do: read, within its time and memory.
 *
 * An authorizer lets statements read and call functions, and refuses everything else: writing,
 * ATTACH, PRAGMAs that change anything, functions that load or read files. A handler that SQLite
 * calls while it works ends a query whose time is over.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <sqlite3.h>

struct query;

/** Bounds the memory of SQLite and names its folder of temporary files, for the whole program. */
void query_limit_memory(const struct query *q);
/** Has SQLite ask whether the time is over. */
void query_limit_watch(struct query *q, sqlite3 *db);
/** Refuses everything but reading, and bounds sizes. */
void query_limit_guard(struct query *q, sqlite3 *db);
/** The time of a query begins now. */
void query_limit_begin(struct query *q);
/** Whether the time is over. Costs about 25 ns. */
bool query_limit_is_over(const struct query *q);
/** Ends the query that runs. Context: signal. */
void query_limit_interrupt(void);
