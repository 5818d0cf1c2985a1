/*
 * query_vtab.h - a table of ours as a virtual table of SQLite.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <sqlite3.h>

struct query_table;

/**
 * Makes a table known to SQLite as `name`, which may be another name than its own. Both are
 * borrowed until the connection is closed. Errors: 0, -ENOMEM.
 */
int query_vtab_register(sqlite3 *db, const struct query_table *table, const char *name);
