/*
 * graph_histo.c - the histogram of classes, with what all objects of a class retain together
 * (retainedby.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/err.h"
#include "heap/graph.h"
#include "heap/graph_parts.h"
#include "heap/retainedby.h"

struct counting {
    struct graph *g;
    struct graph_histo *rows;
    struct heaptable klass; /* by object; empty: only counts */
};

static bool count(void *with, const struct graph_info *object)
{
    struct counting *c = with;
    if (object->klass == GRAPH_NO_CLASS)
        return true;
    struct graph_histo *row = &c->rows[object->klass];
    row->objects++;
    row->shallow_bytes += object->shallow_bytes;
    if (!c->g->d.is_known)
        return true;
    heaptable_set(&c->klass, object->number, object->klass);
    if (!graph_is_reachable(c->g, object->number)) {
        row->lost++;
        row->lost_bytes += object->shallow_bytes;
    }
    return true;
}

static int sum_retained(struct counting *c)
{
    uint32_t classes = graph_class_count(c->g);
    struct retainedby_row *rows = heaproom_take(&c->g->room, classes * sizeof(*rows));
    int error = rows ? retainedby_sum(c->g, &c->klass, classes, rows) : E_LIMIT;
    for (uint32_t i = 0; error == 0 && i < classes; i++) {
        c->rows[i].retained_bytes = rows[i].retained;
        c->rows[i].largest = rows[i].largest;
    }
    heaproom_give(&c->g->room, rows, classes * sizeof(*rows));
    return error;
}

int graph_histo(struct graph *g, struct graph_histo *ret_rows)
{
    struct counting c = {.g = g, .rows = ret_rows};
    int error = 0;
    for (uint64_t i = 0; i < g->classes.rows.count; i++)
        ret_rows[i] = (struct graph_histo){.largest = GRAPH_NONE};
    if (g->d.is_known)
        error = retainedby_init(g, graph_class_count(g), &c.klass);
    if (error == 0)
        error = graph_each_object(g, count, &c);
    if (error == 0 && g->d.is_known)
        error = sum_retained(&c);
    heaptable_done(&c.klass);
    g->facts.memory_peak = g->room.peak;
    return error;
}
