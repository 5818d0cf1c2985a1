/*
 * jfr_named.h - the views that have a name, of a file in one pass.
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
    const char *name; /* of a view; NULL: all */
    const struct jfr_where_set *where;
    uint32_t top; /* rows; 0: as many as the view has of itself */
    const struct jfr_fit *layout;
    bool is_verbose; /* with the query that the view is */
};

/** Whether a view has the name. */
bool jfr_named_is(const char *name);
/** The events that it takes, as a filter has them: commas between them. */
void jfr_named_events(const char *name, char *to, size_t room);
/** The fields that it sums, as "weight"; empty: none. */
void jfr_named_sum(const char *name, char *to, size_t room);
const char *jfr_named_title(const char *name);
/** The names of all views, a line each. */
void jfr_named_list(FILE *out);
/** Prints it, or all that the file has events for. Returns an enum cmd_status. */
int jfr_named_print(const struct jfr_named_wish *wish, const char *path);
