/*
 * jfr_groups.c - see jfr_groups.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_groups.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_MIN = 512 };

void jfr_groups_init(struct jfr_groups *g)
{
    *g = (struct jfr_groups){0};
    keyset_init(&g->names);
}

/* Finds the row of a name, or makes it. NULL: no memory. */
static struct jfr_group *find(struct jfr_groups *g, const char *name, size_t len)
{
    uint32_t number = keyset_number(&g->names, name, len);
    if (number > g->room) {
        size_t room = g->room > 0 ? g->room * 2 : ROOM_MIN;
        struct jfr_group *rows = reallocarray(g->rows, room, sizeof(*rows));
        if (rows) {
            g->rows = rows;
            g->room = room;
        }
    }
    if (number == 0 || number > g->room) {
        g->error = -ENOMEM;
        return NULL;
    }
    if (number > g->count)
        g->rows[g->count++] = (struct jfr_group){.name = keyset_at(&g->names, number)};
    return &g->rows[number - 1];
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

void jfr_groups_sort(struct jfr_groups *g, bool by_sum)
{
    if (g->count > 0)
        qsort(g->rows, g->count, sizeof(*g->rows), by_sum ? compare_sums : compare_counts);
}

void jfr_groups_done(struct jfr_groups *g)
{
    free(g->rows);
    keyset_done(&g->names);
}
