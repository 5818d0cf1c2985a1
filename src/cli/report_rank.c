/*
 * report_rank.c - see report_rank.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/report_rank.h"
#include <stdlib.h>
#include "profile/sums.h"

static int by_value(const void *left, const void *right, void *value)
{
    const struct sum *const *x = left, *const *y = right;
    uint64_t a = (*x)->value[*(uint32_t *)value], b = (*y)->value[*(uint32_t *)value];

    return a > b ? -1 : a < b;
}

const struct sum **report_rank(const struct sums *sums, uint32_t value)
{
    uint32_t count = sums->rows.count;
    const struct sum **rows = malloc((count + (size_t)1) * sizeof(*rows));

    if (!rows)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        rows[i] = sums_at(sums, i + 1);
    qsort_r(rows, count, sizeof(*rows), by_value, &value);
    return rows;
}
