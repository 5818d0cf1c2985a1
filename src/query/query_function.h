/*
 * query_function.h - the functions that SQL gets in addition to SQLite's own: for times, stacks and
 * what encloses an event, and aggregates. query_function_rows lists them; docs/query.md explains.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <sqlite3.h>

struct query;
struct query_functions;

/** A function, for --schema and for completion. */
struct query_function_row {
    const char *usage; /* "ms(d)"; the last row has NULL */
    const char *about;
};
extern const struct query_function_row query_function_rows[];

/** Makes the functions known. Errors: 0, -ENOMEM. */
int query_function_open(struct query *q);
void query_function_close(struct query_functions *f);
