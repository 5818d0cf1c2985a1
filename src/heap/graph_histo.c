/*
 * graph_histo.c - the histogram of classes, or groups of classes, with what all objects of a class
 * retain together (retainedby.h). A class object is one of java.lang.Class, and one of the class
 * that it stands for, as in Eclipse MAT.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/err.h"
#include "heap/graph.h"
#include "heap/graph_parts.h"
#include "heap/retainedby.h"

struct counting {
    struct graph *g;
    struct graph_histo *rows;
    const uint32_t *group_of; /* by class; NULL: each class is a group */
    uint32_t groups;
    struct heaptable group; /* by object; empty: only counts */
};

static uint32_t group_of(const struct counting *c, graph_class klass)
{
    return c->group_of ? c->group_of[klass] : klass;
}

static bool count(void *with, const struct graph_info *object)
{
    struct counting *c = with;
    if (object->klass == GRAPH_NO_CLASS)
        return true;
    uint32_t group = group_of(c, object->klass);
    struct graph_histo *row = &c->rows[group];
    row->objects++;
    row->shallow_bytes += object->shallow_bytes;
    if (!c->g->d.is_known)
        return true;
    heaptable_set(&c->group, object->number, group);
    if (!graph_is_reachable(c->g, object->number)) {
        row->lost++;
        row->lost_bytes += object->shallow_bytes;
    }
    return true;
}

static int sum_rows(struct counting *c, const struct retainedby_second *second)
{
    struct retainedby_row *rows = heaproom_take(&c->g->room, c->groups * sizeof(*rows));
    int error = rows ? retainedby_sum(c->g, &c->group, c->groups, second, rows) : E_LIMIT;
    for (uint32_t i = 0; error == 0 && i < c->groups; i++) {
        c->rows[i].retained_bytes = rows[i].retained;
        c->rows[i].largest = rows[i].largest;
    }
    heaproom_give(&c->g->room, rows, c->groups * sizeof(*rows));
    return error;
}

static int sum_retained(struct counting *c)
{
    struct graph *g = c->g;
    struct retainedby_second second = {0};
    uint64_t bytes = (uint64_t)graph_class_count(g) * sizeof(*second.group);
    uint32_t *groups = heaproom_take(&g->room, bytes);
    int error = groups ? bitrank_init(&second.objects, &g->room, g->map.count) : E_LIMIT;
    for (graph_class k = 0; error == 0 && k < graph_class_count(g); k++)
        if (graph_class_at(g, k)->object != GRAPH_NONE)
            bitrank_add(&second.objects, graph_class_at(g, k)->object);
    if (error == 0 && bitrank_seal(&second.objects, &g->room) < 0)
        error = E_LIMIT;
    for (graph_class k = 0; error == 0 && k < graph_class_count(g); k++)
        if (graph_class_at(g, k)->object != GRAPH_NONE)
            groups[bitrank_below(&second.objects, graph_class_at(g, k)->object)] = group_of(c, k);
    second.group = groups;
    if (error == 0)
        error = sum_rows(c, &second);
    bitrank_done(&second.objects, &g->room);
    heaproom_give(&g->room, groups, bytes);
    return error;
}

int graph_histo_of(struct graph *g, const uint32_t *group_of, uint32_t groups,
                   struct graph_histo *ret_rows)
{
    struct counting c = {.g = g, .rows = ret_rows, .group_of = group_of, .groups = groups};
    int error = 0;
    for (uint64_t i = 0; i < groups; i++)
        ret_rows[i] = (struct graph_histo){.largest = GRAPH_NONE};
    if (g->d.is_known)
        error = retainedby_init(g, groups, &c.group);
    if (error == 0)
        error = graph_each_object(g, count, &c);
    if (error == 0 && g->d.is_known)
        error = sum_retained(&c);
    heaptable_done(&c.group);
    g->facts.memory_peak = g->room.peak;
    return error;
}

int graph_histo(struct graph *g, struct graph_histo *ret_rows)
{
    return graph_histo_of(g, NULL, graph_class_count(g), ret_rows);
}
