/*
 * query_cache.h - a copy of a table's rows in which rows are found by the value of one column.
 *
 * A join asks a table once for each row of another table. A recording would be read as often. So
 * its wanted columns are copied once into a database of SQLite's own, which lies in a temporary
 * file and has an index. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include <sqlite3.h>

struct query_cache;
struct query_cache_search;
struct query_table;
struct query_table_ask;

/** Makes a table known to another connection: query_vtab_register(). */
typedef int query_cache_register(sqlite3 *db, const struct query_table *table, const char *name);

/**
 * Searches the rows that meet the one condition of `ask`. `*caches` is a list of copies, to which
 * one is added if none fits. `*search` is NULL, or an earlier search, which ends. Returns 1, and
 * then the first row can be read; 0: there is none; negative. Owner: query_cache_free() and
 * query_cache_end().
 */
int query_cache_begin(struct query_cache **caches, const struct query_table *table,
                      const struct query_table_ask *ask, query_cache_register *add,
                      struct query_cache_search **search);
/** Goes to the next row. Returns 1; 0: there are no more; negative. */
int query_cache_next(struct query_cache_search *search);
/** Gives the value of a column of the table. */
void query_cache_give(struct query_cache_search *search, sqlite3_context *to, uint32_t column);
/** Ends a search; does nothing for NULL. */
void query_cache_end(struct query_cache_search *search);
void query_cache_free(struct query_cache *caches);
