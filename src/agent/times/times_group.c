/*
 * times_group.c - see times_group.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_group.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include "agent/times/times_tree.h"

#define PRIME 0x9e3779b97f4a7c15u

int times_group_begin(struct times_groups *g, const struct times_row *rows, uint32_t count,
                      uint32_t depth)
{
    uint32_t size = 64;
    while (size < count + count / 2)
        size *= 2;
    *g = (struct times_groups){.rows = rows, .depth = depth, .mask = size - 1};
    g->groups = malloc(((size_t)count + 1) * sizeof(*g->groups));
    g->table = calloc(size, sizeof(*g->table));
    if (g->groups && g->table)
        return 0;
    times_group_end(g);
    return -ENOMEM;
}

/* A row without a path is different from rows of its method that have callers. */
static uint64_t hash_of(const struct times_groups *g, uint32_t row)
{
    const struct times_row *r = &g->rows[row];
    uint64_t hash = (uint64_t)r->thread * 2 + (uint64_t)(g->depth > 1 && r->is_without_path);
    for (uint32_t i = 0, at = row; i < g->depth && at != TIMES_NO_ROW; i++, at = g->rows[at].parent)
        hash = (hash ^ (uint32_t)g->rows[at].id) * PRIME;
    return hash ^ hash >> 32;
}

static bool is_same(const struct times_groups *g, uint32_t a, uint32_t b)
{
    if (g->rows[a].thread != g->rows[b].thread)
        return false;
    if (g->depth > 1 && g->rows[a].is_without_path != g->rows[b].is_without_path)
        return false;
    for (uint32_t i = 0; i < g->depth && a != b; i++) {
        if (a == TIMES_NO_ROW || b == TIMES_NO_ROW || g->rows[a].id != g->rows[b].id)
            return false;
        a = g->rows[a].parent;
        b = g->rows[b].parent;
    }
    return true;
}

void times_group_add(struct times_groups *g, uint32_t row, uint64_t calls, double time, double made)
{
    struct times_group *to;
    uint64_t at = hash_of(g, row);
    uint32_t i;
    while ((i = g->table[at & g->mask]) != 0 && !is_same(g, g->groups[i - 1].row, row))
        at++;
    if (i == 0) {
        g->groups[g->count] = (struct times_group){.row = row};
        i = g->table[at & g->mask] = ++g->count;
    }
    to = &g->groups[i - 1];
    to->calls += calls;
    to->time += time;
    to->made += made;
}

static int by_cost(const void *left, const void *right)
{
    const struct times_group *l = left, *r = right;
    if (l->cost != r->cost)
        return l->cost > r->cost ? -1 : 1;
    return l->row < r->row ? -1 : l->row > r->row;
}

void times_group_sort(struct times_groups *g)
{
    if (g->count > 0)
        qsort(g->groups, g->count, sizeof(*g->groups), by_cost);
}

void times_group_end(struct times_groups *g)
{
    free(g->groups);
    free(g->table);
    *g = (struct times_groups){0};
}
