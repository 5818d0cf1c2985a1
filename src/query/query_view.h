/*
 * query_view.h - the SQL that has the rows of a view of `hprof jfr view`.
 *
 * A view is a row of jfrtool/jfr_views.def, or the events of a type. Which of several rows with one
 * name it is, and which types and fields there are, the recording says. The columns have the names
 * that the view's own CSV has. A few views have no SQL: those that choose a frame by its class
 * loader, which no table has, and those of settings, whose types have other numbers in each chunk.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct diag;
struct sink;

/**
 * Writes the SQL of the view for the recording `path`; `top` as in struct jfrtool_view. Errors: 0;
 * negative after saying why.
 */
int query_view_write(const char *path, const char *view, uint32_t top, struct diag *diag,
                     struct sink *out);
