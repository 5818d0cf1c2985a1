/*
 * heaptrend.c - see heaptrend.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/heaptrend.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "heap/heapsummary.h"

/* The quantile 0.975 of Student's t with so many degrees of freedom. */
static double student(uint32_t freedom)
{
    static const double few[] = {0,     12.706, 4.303, 3.182, 2.776, 2.571, 2.447,
                                 2.365, 2.306,  2.262, 2.228, 2.201, 2.179, 2.160,
                                 2.145, 2.131,  2.120, 2.110, 2.101, 2.093, 2.086};
    enum { FEW = sizeof(few) / sizeof(few[0]) };
    /* Between 21 and 62 degrees the quantile is 1.96 + 2.5 / freedom, to three digits. */
    return freedom < FEW ? few[freedom] : 1.96 + 2.5 / freedom;
}

bool heaptrend_slope(const double *hours, const double *values, uint32_t count,
                     struct heaptrend_slope *ret_slope)
{
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0, rest = 0;
    if (count < HEAPTREND_LEAST)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        mean_x += hours[i] / count;
        mean_y += values[i] / count;
    }
    for (uint32_t i = 0; i < count; i++) {
        xx += (hours[i] - mean_x) * (hours[i] - mean_x);
        xy += (hours[i] - mean_x) * (values[i] - mean_y);
    }
    if (!(xx > 0))
        return false;
    double slope = xy / xx;
    for (uint32_t i = 0; i < count; i++) {
        double beside = values[i] - mean_y - slope * (hours[i] - mean_x);
        rest += beside * beside;
    }
    double half = student(count - 2) * sqrt(rest / (count - 2) / xx);
    *ret_slope = (struct heaptrend_slope){slope, slope - half, slope + half};
    return true;
}

/* Of which summary the next name is the first of all; `summaries`: there is none. */
static uint32_t first_of(const struct heapsummary_rows *const *rows, const uint32_t *next,
                         uint32_t summaries)
{
    uint32_t first = summaries;
    for (uint32_t i = 0; i < summaries; i++)
        if (next[i] < rows[i]->count &&
            (first == summaries ||
             strcmp(rows[i]->rows[next[i]].name, rows[first]->rows[next[first]].name) < 0))
            first = i;
    return first;
}

int heaptrend_join(const struct heapsummary_rows *const *rows, uint32_t summaries,
                   struct heaptrend *ret_trend)
{
    struct heaptrend *t = ret_trend;
    uint32_t next[HEAPTREND_MOST] = {0};
    size_t most = 1;
    for (uint32_t i = 0; i < summaries; i++)
        most += rows[i]->count;
    *t = (struct heaptrend){.rows = calloc(most, sizeof(*t->rows))};
    if (summaries > 0 && most <= SIZE_MAX / sizeof(void *) / summaries)
        t->cells = calloc(most * summaries, sizeof(void *));
    if (!t->rows || !t->cells)
        return E_LIMIT;
    for (uint32_t first; (first = first_of(rows, next, summaries)) < summaries;) {
        const char *name = rows[first]->rows[next[first]].name;
        struct heaptrend_row *row = &t->rows[t->count];
        *row = (struct heaptrend_row){name, t->cells + (size_t)t->count * summaries};
        t->count++;
        for (uint32_t i = 0; i < summaries; i++)
            if (next[i] < rows[i]->count && strcmp(rows[i]->rows[next[i]].name, name) == 0)
                row->at[i] = &rows[i]->rows[next[i]++];
    }
    return 0;
}

void heaptrend_done(struct heaptrend *t)
{
    free(t->rows);
    free(t->cells);
    *t = (struct heaptrend){0};
}
