/*
 * query_named.h - queries with names: the built-in ones of query_named.def, and those that the user
 * has saved as files NAME.sql below the user's configuration folder, hprof/queries.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct sink;

/** Whether a query can have this name: letters, digits, dashes and underscores. */
bool query_named_may_be(const char *name);
/** The SQL of a saved or built-in query, malloc'ed; NULL: there is none. */
char *query_named_sql(const char *name);
/** The name and the sentence of a built-in query, 0 and so on; NULL: there are no more. */
const char *query_named_at(size_t number);
const char *query_named_about(size_t number);
/**
 * Saves a query. A saved one of this name is replaced. Errors: 0, and *ret_path, malloc'ed;
 * -EEXIST: a built-in query has the name; -ENOENT: the user has no home; -errno.
 */
int query_named_save(const char *name, const char *sql, char **ret_path);
/** Writes all names, each with a sentence. */
void query_named_list(struct sink *out);
