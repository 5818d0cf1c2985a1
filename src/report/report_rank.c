/*
 * report_rank.c - see report_rank.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/report_rank.h"
#include <stdlib.h>
#include <string.h>
#include "report/report_how.h"
#include "report/report_text.h"
#include "profile/profile.h"
#include "profile/sums.h"

/* How rows are sorted. */
struct order {
    struct profile *profile;
    uint32_t value;
    const struct report_how *how; /* for rows that are compared by what is shown of them */
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
    struct order order = {profile, value, NULL};
    uint32_t count = sums->rows.count;
    const struct sum **rows = malloc((count + (size_t)1) * sizeof(void *));
    if (!rows)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        rows[i] = sums_at(sums, i + 1);
    qsort_r(rows, count, sizeof(void *), compare, &order);
    return rows;
}

/* ---- rows that look alike */

/* A stack without frames comes first. Methods and lines are in any fixed order. */
static int compare_tops(const struct order *o, const struct sum *l, const struct sum *r)
{
    const struct profile_frame *a = report_text_top(o->how, o->profile, l->trace);
    const struct profile_frame *b = report_text_top(o->how, o->profile, r->trace);
    if (!a || !b)
        return (a != NULL) - (b != NULL);
    if (a->method != b->method)
        return a->method < b->method ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

static int compare_shown(const void *left, const void *right, void *order)
{
    const struct sum *l = *(const struct sum *const *)left, *r = *(const struct sum *const *)right;
    if (l->klass != r->klass)
        return l->klass < r->klass ? -1 : 1;
    if (l->text != r->text)
        return l->text < r->text ? -1 : 1;
    return compare_tops(order, l, r);
}

/* Merges rows that look alike, which must stand together. The first of each is copied to `to` and
 * gets the values of the others. Returns the number of rows left in `rows`. */
static uint32_t merge(const struct sum **rows, uint32_t count, uint32_t values, struct order *order,
                      unsigned char *to)
{
    size_t bytes = sizeof(struct sum) + values * sizeof(uint64_t);
    struct sum *last = NULL;
    uint32_t merged = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct sum *row = rows[i];
        if (last && compare_shown(&row, &(const struct sum *){last}, order) == 0) {
            for (uint32_t at = 0; at < values; at++)
                last->value[at] += row->value[at];
            continue;
        }
        last = (struct sum *)(void *)(to + merged * bytes);
        memcpy(last, row, bytes);
        rows[merged++] = last;
    }
    return merged;
}

const struct sum **report_rank_shown(const struct report_how *r, struct profile *profile,
                                     enum kind_id kind, uint32_t value, uint32_t *ret_count)
{
    const struct sums *sums = profile_sums(profile, kind);
    struct order order = {profile, value, r};
    uint32_t count = sums->rows.count, values = kind_value_count(kind);
    size_t pointers = (count + (size_t)1) * sizeof(void *);
    size_t row_bytes = sizeof(struct sum) + values * sizeof(uint64_t);
    const struct sum **rows, **all;
    *ret_count = count;
    all = report_rank(profile, sums, value);
    if (!all || r->traces > 0)
        return all;
    rows = realloc(all, pointers + count * row_bytes);
    if (!rows) {
        free(all);
        return NULL;
    }
    qsort_r(rows, count, sizeof(void *), compare_shown, &order);
    *ret_count = merge(rows, count, values, &order, (unsigned char *)rows + pointers);
    qsort_r(rows, *ret_count, sizeof(void *), compare, &order);
    return rows;
}
