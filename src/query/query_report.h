/*
 * query_report.h - the SQL that has the rows of a table of `hprof report`.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct series;
struct sink;

/**
 * Writes the SQL of a table, with `top` rows: of `methods` or `names` of a series, of `sites`, or
 * of the events of a kind. `with_hidden`: also of hidden frames. The columns have the names that
 * the report's own CSV has. Errors: 0; E_UNSUPPORTED: SQL cannot say this table.
 */
int query_report_write(const char *table, const struct series *series, bool with_hidden,
                       uint32_t top, struct sink *out);
