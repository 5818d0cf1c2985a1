/*
 * jfr_groups.c - see jfr_groups.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/jfr_groups.h"
#include "base/fnv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS_MIN = 1024 };

static int grow(struct jfr_groups *g)
{
    size_t slot_count = g->slot_count > 0 ? g->slot_count * 2 : SLOTS_MIN;
    uint32_t *slots = calloc(slot_count, sizeof(*slots));
    struct jfr_group *rows = realloc(g->rows, slot_count / 2 * sizeof(*rows));

    if (rows) {
        g->rows = rows;
        g->room = slot_count / 2;
    }
    if (!rows || !slots) {
        free(slots);
        g->error = -ENOMEM;
        return g->error;
    }
    for (size_t i = 0; i < g->count; i++) {
        size_t at = rows[i].hash % slot_count;

        while (slots[at] != 0)
            at = (at + 1) % slot_count;
        slots[at] = (uint32_t)i + 1;
    }
    free(g->slots);
    g->slots = slots;
    g->slot_count = slot_count;
    return 0;
}

static struct jfr_group *find(struct jfr_groups *g, const char *name, size_t len)
{
    uint64_t hash = fnv_end(fnv_add(FNV_START, name, len));

    if ((g->count >= g->room || g->slot_count == 0) && grow(g) < 0)
        return NULL;
    size_t at = hash % g->slot_count;
    for (; g->slots[at] != 0; at = (at + 1) % g->slot_count) {
        struct jfr_group *row = &g->rows[g->slots[at] - 1];

        if (row->hash == hash && row->len == len && memcmp(row->name, name, len) == 0)
            return row;
    }
    char *copy = malloc(len + 1);
    if (!copy) {
        g->error = -ENOMEM;
        return NULL;
    }
    memcpy(copy, name, len);
    copy[len] = '\0';
    g->rows[g->count] = (struct jfr_group){.name = copy, .len = len, .hash = hash};
    g->slots[at] = (uint32_t)++g->count;
    return &g->rows[g->count - 1];
}

void jfr_groups_add(struct jfr_groups *g, const char *name, size_t len, double value)
{
    struct jfr_group *row = find(g, name, len);

    if (!row)
        return;
    row->count++;
    g->total_count++;
    if (isnan(value))
        return;
    row->most = row->valued == 0 || value > row->most ? value : row->most;
    row->valued++;
    row->sum += value;
    g->total_sum += value;
}

static int compare_counts(const void *a, const void *b)
{
    const struct jfr_group *x = a, *y = b;

    if (x->count != y->count)
        return (x->count < y->count) - (x->count > y->count);
    return strcmp(x->name, y->name);
}

static int compare_sums(const void *a, const void *b)
{
    const struct jfr_group *x = a, *y = b;

    if (x->sum < y->sum || x->sum > y->sum)
        return (x->sum < y->sum) - (x->sum > y->sum);
    return compare_counts(a, b);
}

static int compare_names(const void *a, const void *b)
{
    const struct jfr_group *x = a, *y = b;

    return strcmp(x->name, y->name);
}

void jfr_groups_sort(struct jfr_groups *g, enum jfr_groups_order order)
{
    int (*const compare[])(const void *, const void *) = {[JFR_GROUPS_BY_SUM] = compare_sums,
                                                          [JFR_GROUPS_BY_COUNT] = compare_counts,
                                                          [JFR_GROUPS_BY_NAME] = compare_names};

    if (g->count > 0)
        qsort(g->rows, g->count, sizeof(*g->rows), compare[order]);
}

void jfr_groups_done(struct jfr_groups *g)
{
    for (size_t i = 0; i < g->count; i++)
        free(g->rows[i].name);
    free(g->rows);
    free(g->slots);
    *g = (struct jfr_groups){0};
}
