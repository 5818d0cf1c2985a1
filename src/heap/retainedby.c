/*
 * retainedby.c - see retainedby.h.
 *
 * The tree is walked in preorder, and each group knows how many of its objects are on the way from
 * the virtual root.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/retainedby.h"
#include "base/err.h"
#include "heap/forest.h"
#include "heap/graph_parts.h"

struct walk {
    struct graph *g;
    const uint32_t *group;
    const struct retainedby_second *second;
    struct retainedby_row *rows;
    uint64_t objects;
    heapnode *order;           /* objects in preorder */
    uint32_t *on_way;          /* by group */
    struct heaproom_list path; /* heapnode: the way from the virtual root */
};

static int order_objects(struct walk *w, uint64_t *ret_count)
{
    struct heaproom *room = &w->g->room;
    struct forest forest;
    int error = forest_number(&forest, room, w->g->dom, w->objects);
    w->order = error == 0 ? heaproom_take(room, w->objects * sizeof(*w->order)) : NULL;
    for (uint64_t i = 0; w->order && i < w->objects; i++)
        if (forest.pre[i] != HEAPNODE_NONE)
            w->order[forest.pre[i]] = (heapnode)i;
    *ret_count = forest.count;
    forest_done(&forest, room, w->objects);
    return w->order ? 0 : E_LIMIT;
}

/* The second group of an object; RETAINEDBY_NONE: it has none, or it is the first one. */
static uint32_t second_of(const struct walk *w, heapnode object)
{
    if (!w->second || !bitrank_has(&w->second->objects, object))
        return RETAINEDBY_NONE;
    uint32_t group = w->second->group[bitrank_below(&w->second->objects, object)];
    return group == w->group[object] ? RETAINEDBY_NONE : group;
}

static void leave(struct walk *w, heapnode until)
{
    const heapnode *path = (const void *)w->path.at;
    while (w->path.count > 0 && path[w->path.count - 1] != until) {
        heapnode object = path[--w->path.count];
        uint32_t group = w->group[object], second = second_of(w, object);
        if (group != RETAINEDBY_NONE)
            w->on_way[group]--;
        if (second != RETAINEDBY_NONE)
            w->on_way[second]--;
    }
}

/* Counts an object for a group that it enters. */
static void enter(struct walk *w, uint32_t group, uint64_t retained)
{
    if (group != RETAINEDBY_NONE && w->on_way[group]++ == 0)
        w->rows[group].retained += retained;
}

static int visit(struct walk *w, heapnode object)
{
    uint32_t group = w->group[object];
    uint64_t retained = graph_retained(w->g, object);
    leave(w, w->g->dom[object]);
    heapnode *step = heaproom_list_add(&w->path, &w->g->room, sizeof(*step));
    if (!step)
        return E_LIMIT;
    *step = object;
    enter(w, group, retained);
    enter(w, second_of(w, object), retained);
    if (group == RETAINEDBY_NONE)
        return 0;
    struct retainedby_row *row = &w->rows[group];
    if (row->largest == GRAPH_NONE || retained > graph_retained(w->g, row->largest))
        row->largest = object;
    return 0;
}

int retainedby_sum(struct graph *g, const uint32_t *group, uint32_t groups,
                   const struct retainedby_second *second, struct retainedby_row *ret_rows)
{
    struct walk w = {
        .g = g, .group = group, .second = second, .rows = ret_rows, .objects = g->map.count};
    uint64_t reachable = 0;
    for (uint32_t i = 0; i < groups; i++)
        ret_rows[i] = (struct retainedby_row){.largest = GRAPH_NONE};
    int error = order_objects(&w, &reachable);
    w.on_way = heaproom_take(&g->room, groups * sizeof(*w.on_way));
    if (!w.on_way)
        error = E_LIMIT;
    for (uint64_t i = 0; error == 0 && i < reachable; i++)
        error = visit(&w, w.order[i]);
    heaproom_give(&g->room, w.order, w.objects * sizeof(*w.order));
    heaproom_give(&g->room, w.on_way, groups * sizeof(*w.on_way));
    heaproom_list_done(&w.path, &g->room);
    return error;
}
