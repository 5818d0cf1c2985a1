/*
 * graph_histo.c - the histogram of classes, with what all objects of a class retain together.
 *
 * An object counts for its class unless it lies below another object of that class in the tree of
 * dominators. So the tree is walked in preorder, and each class knows how many of its objects are
 * on the way from the virtual root. SPDX-License-Identifier: Apache-2.0
 */
#include "base/err.h"
#include "heap/graph.h"
#include "heap/forest.h"
#include "heap/graph_parts.h"

struct counting {
    struct graph *g;
    struct graph_histo *rows;
    graph_class *klass; /* by object; NULL: only counts */
};

static bool count(void *with, const struct graph_info *object)
{
    struct counting *c = with;
    if (object->klass == GRAPH_NO_CLASS)
        return true;
    struct graph_histo *row = &c->rows[object->klass];
    row->objects++;
    row->shallow_bytes += object->shallow_bytes;
    if (c->klass)
        c->klass[object->number] = object->klass;
    if (c->klass && !graph_is_reachable(c->g, object->number)) {
        row->lost++;
        row->lost_bytes += object->shallow_bytes;
    }
    return true;
}

/* The walk over the tree of dominators. */
struct walk {
    struct counting *counting;
    struct heaproom *room;
    uint64_t objects;
    heapnode *order;           /* objects in preorder */
    uint32_t *on_way;          /* by class */
    struct heaproom_list path; /* heapnode: the way from the virtual root */
};

static int order_objects(struct walk *w, uint64_t *ret_count)
{
    struct graph *g = w->counting->g;
    struct forest forest;
    int error = forest_number(&forest, w->room, g->dom, w->objects);
    w->order = error == 0 ? heaproom_take(w->room, w->objects * sizeof(*w->order)) : NULL;
    for (uint64_t i = 0; w->order && i < w->objects; i++)
        if (forest.pre[i] != HEAPNODE_NONE)
            w->order[forest.pre[i]] = (heapnode)i;
    *ret_count = forest.count;
    forest_done(&forest, w->room, w->objects);
    return w->order ? 0 : E_LIMIT;
}

static void leave(struct walk *w, heapnode until)
{
    const heapnode *path = (const void *)w->path.at;
    while (w->path.count > 0 && path[w->path.count - 1] != until) {
        graph_class klass = w->counting->klass[path[--w->path.count]];
        if (klass != GRAPH_NO_CLASS)
            w->on_way[klass]--;
    }
}

static int visit(struct walk *w, heapnode object)
{
    struct counting *c = w->counting;
    graph_class klass = c->klass[object];
    leave(w, c->g->dom[object]);
    heapnode *step = heaproom_list_add(&w->path, w->room, sizeof(*step));
    if (!step)
        return E_LIMIT;
    *step = object;
    if (klass == GRAPH_NO_CLASS)
        return 0;
    struct graph_histo *row = &c->rows[klass];
    uint64_t retained = graph_retained(c->g, object);
    if (w->on_way[klass]++ == 0)
        row->retained_bytes += retained;
    if (row->largest == GRAPH_NONE || retained > graph_retained(c->g, row->largest))
        row->largest = object;
    return 0;
}

static int sum_retained(struct counting *c, struct heaproom *room)
{
    struct walk w = {.counting = c, .room = room, .objects = c->g->map.count};
    uint64_t count_all = 0, classes = c->g->classes.rows.count;
    int error = order_objects(&w, &count_all);
    w.on_way = heaproom_take(room, classes * sizeof(*w.on_way));
    if (!w.on_way)
        error = E_LIMIT;
    for (uint64_t i = 0; error == 0 && i < count_all; i++)
        error = visit(&w, w.order[i]);
    heaproom_give(room, w.order, w.objects * sizeof(*w.order));
    heaproom_give(room, w.on_way, classes * sizeof(*w.on_way));
    heaproom_list_done(&w.path, room);
    return error;
}

int graph_histo(struct graph *g, struct graph_histo *ret_rows)
{
    struct counting c = {.g = g, .rows = ret_rows};
    uint64_t bytes = g->map.count * sizeof(*c.klass);
    for (uint64_t i = 0; i < g->classes.rows.count; i++)
        ret_rows[i] = (struct graph_histo){.largest = GRAPH_NONE};
    if (g->dom) {
        c.klass = heaproom_take(&g->room, bytes);
        if (!c.klass)
            return E_LIMIT;
        for (uint64_t i = 0; i < g->map.count; i++)
            c.klass[i] = GRAPH_NO_CLASS;
    }
    int error = graph_each_object(g, count, &c);
    if (error == 0 && g->dom)
        error = sum_retained(&c, &g->room);
    heaproom_give(&g->room, c.klass, bytes);
    g->facts.memory_peak = g->room.peak;
    return error;
}
