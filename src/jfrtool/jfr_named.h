/*
 * jfr_named.h - prints the views that have a name, in one pass over a file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct jfr_fit;
struct jfr_query_named;
struct jfr_where_set;

struct jfr_named_wish {
    const char *name; /* the name of a view; NULL: all views */
    const struct jfr_where_set *where;
    uint32_t top; /* number of rows; 0: the view's own number */
    const struct jfr_fit *layout;
    bool is_verbose; /* also print the query of the view */
};

/** Whether there is a view of this name. */
bool jfr_named_is(const char *name);
/** Writes the event types that the view takes, separated by commas, as a filter needs them. */
void jfr_named_events(const char *name, char *to, size_t room);
/** Writes the fields that the view sums, as in "weight"; empty: none. */
void jfr_named_sum(const char *name, char *to, size_t room);
const char *jfr_named_title(const char *name);
/** Prints the names of all views, each in a line. */
void jfr_named_list(FILE *out);
/** Prints the view, or all views for which the file has events. Returns an enum cmd_result. */
int jfr_named_print(const struct jfr_named_wish *wish, const char *path);
