/*
 * jfr_named.h - the views that have a name (jfr_views.def), which are printed in one pass over a
 * file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

struct jfr_query_named;
struct jfrtool_view;

/** Writes the event types that the view takes, separated by commas, as a filter needs them. */
void jfr_named_events(const char *name, char *to, size_t room);
/** Writes the fields that the view sums, as in "weight"; empty: none. */
void jfr_named_sum(const char *name, char *to, size_t room);
/** The name of the view with index `i`; NULL: there is none. Several views may have one name. */
const char *jfr_named_at(size_t i);
/** The same, as its row of jfr_views.def. */
const struct jfr_query_named *jfr_named_row(size_t i);
const char *jfr_named_title(const char *name);
/** Prints the view of the request's name, without its keys and its sum; name NULL: all views for
 * which the file has events. Returns an enum cmd_result. */
int jfr_named_print(const struct jfrtool_view *view, const char *path);
