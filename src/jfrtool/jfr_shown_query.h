/*
 * jfr_shown_query.h - writes what a view takes from a recording, as a query in words.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct jfr_printer;
struct jfr_query_named;
struct jfr_where_set;

/** Writes the query of a view; `where` holds additional conditions. */
void jfr_shown_query_put(const struct jfr_query_named *view, const struct jfr_where_set *where,
                         struct jfr_printer *o);
/** Writes the query of a table of events. A part that the user did not give is NULL. */
void jfr_shown_query_events(const char *events, const char *group, const char *sum,
                            const struct jfr_where_set *where, uint32_t top, struct jfr_printer *o);
