/*
 * query.h - answers questions in SQL about inputs: recordings, profiles, heap dumps, live JVMs.
 *
 * The inputs are read while a query runs, and only as far as the query needs. Nothing is written
 * but SQLite's temporary files. Which tables there are: docs/query.md.
 *
 * Context: one thread; one query at a time in the program, because limits of SQLite belong to it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "query/query_options.h"
#include "query/query_print.h"

struct query;
struct sink;

/** `options` is borrowed. Errors: 0; -ENOMEM. Owner: query_close(), also after an error. */
int query_open(const struct query_options *options, struct query **ret_query);
void query_close(struct query *q);
/**
 * Adds an input: a file, a folder of a JVM's recording, or a process id. Errors: 0; negative after
 * the diag was told. A damaged file is no error; query_is_damaged() then says so.
 */
int query_add(struct query *q, const char *word);
bool query_is_damaged(struct query *q);
/** Makes the tables of the inputs known. To be called once, when all inputs were added. Errors: 0,
 * -ENOMEM. */
int query_begin(struct query *q);
/**
 * Runs the statements of `sql`, and writes the answer of each to `out`. Errors: 0; negative after
 * the diag was told: E_SYNTAX, the SQL is wrong; -EINTR, the time is over; others.
 */
int query_run(struct query *q, const char *sql, enum query_print_form form, struct sink *out);
/** Writes all tables, each with a sentence; of `table` its columns. Errors: 0; E_NOT_FOUND after
 * the diag was told. */
int query_schema(struct query *q, const char *table, struct sink *out);
/** The names of tables, 0 and so on, and of the columns of a table; NULL: there are no more. Valid
 * until query_close(). */
const char *query_table_name(const struct query *q, size_t number);
const char *query_column_name(const struct query *q, size_t table, size_t number);
