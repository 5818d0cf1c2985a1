/*
 * report_rank.c - see report_rank.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/report_rank.h"
#include <stdlib.h>
#include <string.h>
#include "cli/report_text.h"
#include "profile/profile.h"
#include "profile/sums.h"

/* What rows are ranked by. */
struct order {
    struct profile *profile;
    uint32_t value;
};

static const char *class_of(const struct order *o, const struct sum *row)
{
    return row->klass ? report_text_of(o->profile, profile_class_at(o->profile, row->klass)->name)
                      : "";
}

static int compare(const void *left, const void *right, void *order)
{
    const struct order *o = order;
    const struct sum *l = *(const struct sum *const *)left, *r = *(const struct sum *const *)right;
    uint64_t a = l->value[o->value], b = r->value[o->value];
    int by_name;

    if (a != b)
        return a > b ? -1 : 1;
    by_name = strcmp(class_of(o, l), class_of(o, r));
    if (by_name == 0)
        by_name = strcmp(report_text_of(o->profile, l->text), report_text_of(o->profile, r->text));
    return by_name != 0 ? by_name : l->trace < r->trace ? -1 : l->trace > r->trace;
}

const struct sum **report_rank(struct profile *profile, const struct sums *sums, uint32_t value)
{
    struct order order = {profile, value};
    uint32_t count = sums->rows.count;
    const struct sum **rows = malloc((count + (size_t)1) * sizeof(void *));

    if (!rows)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        rows[i] = sums_at(sums, i + 1);
    qsort_r(rows, count, sizeof(void *), compare, &order);
    return rows;
}
