/*
 * jfr_result.h - prints the rows of a query, sorted, as a table or a form.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct jfr_fit;
struct jfr_printer;
struct jfr_query;

/** Prints the title and `top` rows; 0: as many rows as the query itself shows. Numbers are aligned
 * to the right. Errors: 0, -ENOMEM. */
int jfr_result_put(struct jfr_query *q, struct jfr_printer *o, const struct jfr_fit *layout,
                   uint32_t top);
