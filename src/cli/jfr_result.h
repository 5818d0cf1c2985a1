/*
 * jfr_result.h - the rows of a query as text: in their order, as a table or a form.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct jfr_fit;
struct jfr_printer;
struct jfr_query;

/** Prints the title and all rows, or `top` of them, 0: as many as the query has of itself. Numbers
 * stand to the right. Errors: 0, -ENOMEM. */
int jfr_result_put(struct jfr_query *q, struct jfr_printer *o, const struct jfr_fit *layout,
                   uint32_t top);
