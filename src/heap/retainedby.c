/*
 * retainedby.c - see retainedby.h.
 *
 * The tree is walked in preorder, and each group knows how many of its objects are on the way from
 * the virtual root. An object that dominates nothing takes no part in the walk if no object of its
 * group dominates anything: then none can be above it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/retainedby.h"
#include "base/err.h"
#include "heap/forest.h"
#include "heap/graph_parts.h"

struct walk {
    struct graph *g;
    const struct heaptable *group;
    const struct retainedby_second *second; /* NULL: there is none */
    struct retainedby_row *rows;
    uint32_t groups;
    uint64_t objects;
    struct bitrank members; /* objects that take part in the walk */
    struct bitrank above;   /* groups with objects that dominate others */
    uint32_t *on_way;       /* by group */
    struct heaptable path;  /* the way from the virtual root */
    uint64_t depth;
};

int retainedby_init(struct graph *g, uint32_t groups, struct heaptable *ret_group)
{
    unsigned bytes = groups < UINT16_MAX ? 2 : 4;
    int error = heaptable_init(ret_group, &g->store, g->map.count, bytes);
    for (uint64_t i = 0; error == 0 && i < g->map.count; i++)
        heaptable_set(ret_group, i, RETAINEDBY_NONE);
    return error;
}

/* The second group of an object; RETAINEDBY_NONE: it has none, or it is the first one. */
static uint32_t second_of(const struct walk *w, heapnode object)
{
    if (!w->second || !bitrank_has(&w->second->objects, object))
        return RETAINEDBY_NONE;
    uint32_t group = w->second->group[bitrank_below(&w->second->objects, object)];
    return group == retainedby_group(w->group, object) ? RETAINEDBY_NONE : group;
}

static void add_above(struct walk *w, uint32_t group)
{
    if (group != RETAINEDBY_NONE)
        bitrank_add(&w->above, group);
}

/* Whether an object takes part in the walk. Those with a second group always do. */
static bool is_member(const struct walk *w, heapnode object)
{
    uint32_t group = retainedby_group(w->group, object);
    if (bitrank_has(&w->g->d.holders, object))
        return true;
    bool is_in = (group != RETAINEDBY_NONE && bitrank_has(&w->above, group)) ||
                 second_of(w, object) != RETAINEDBY_NONE;
    return is_in && graph_is_reachable(w->g, object);
}

static int choose_members(struct walk *w)
{
    const struct bitrank *holders = &w->g->d.holders;
    if (bitrank_init(&w->members, &w->g->room, w->objects) < 0 ||
        bitrank_init(&w->above, &w->g->room, w->groups) < 0)
        return E_LIMIT;
    for (uint64_t i = 0; i < w->objects; i++) {
        if (!bitrank_has(holders, i))
            continue;
        add_above(w, retainedby_group(w->group, i));
        add_above(w, second_of(w, (heapnode)i));
    }
    for (uint64_t i = 0; i < w->objects; i++)
        if (is_member(w, (heapnode)i))
            bitrank_add(&w->members, i);
    return bitrank_seal(&w->members, &w->g->room) < 0 ? E_LIMIT : 0;
}

/* The largest object of a group, and the sum if no other object of the group is above. */
static void count(struct walk *w, uint32_t group, graph_object object, bool is_first)
{
    struct retainedby_row *row = &w->rows[group];
    uint64_t retained = graph_retained(w->g, object);
    if (is_first)
        row->retained += retained;
    uint64_t most = row->largest == GRAPH_NONE ? 0 : graph_retained(w->g, row->largest);
    if (row->largest == GRAPH_NONE || retained > most ||
        (retained == most && object < row->largest))
        row->largest = object;
}

static void leave(struct walk *w, heapnode until)
{
    for (; w->depth > 0; w->depth--) {
        heapnode last = heaptable_node(&w->path, w->depth - 1);
        if (last == until)
            return;
        uint32_t group = retainedby_group(w->group, last), second = second_of(w, last);
        if (group != RETAINEDBY_NONE)
            w->on_way[group]--;
        if (second != RETAINEDBY_NONE)
            w->on_way[second]--;
    }
}

static int visit(void *with, heapnode object, heapnode parent)
{
    struct walk *w = with;
    uint32_t group = retainedby_group(w->group, object), second = second_of(w, object);
    int error = 0;
    leave(w, parent);
    if (w->depth == w->path.rows)
        error = heaptable_extend(&w->path, w->depth + 1);
    if (error < 0)
        return error;
    heaptable_put(&w->path, w->depth++, object);
    if (group != RETAINEDBY_NONE)
        count(w, group, object, w->on_way[group]++ == 0);
    if (second != RETAINEDBY_NONE && w->on_way[second]++ == 0)
        w->rows[second].retained += graph_retained(w->g, object);
    return 0;
}

static int sum(void *with)
{
    struct walk *w = with;
    struct graph *g = w->g;
    int error = graph_dominate_own(g);
    if (error == 0)
        error = choose_members(w);
    w->on_way = heaproom_take(&g->room, w->groups * sizeof(*w->on_way));
    if (error == 0)
        error = w->on_way ? heaptable_init(&w->path, &g->store, 0, sizeof(heapnode)) : E_LIMIT;
    for (uint64_t i = 0; error == 0 && i < w->objects; i++) {
        uint32_t group = retainedby_group(w->group, i);
        if (group != RETAINEDBY_NONE && !bitrank_has(&w->members, i) && graph_is_reachable(g, i))
            count(w, group, i, true);
    }
    return error < 0 ? error : forest_walk(&g->store, &g->d.dom, &w->members, w->objects, visit, w);
}

int retainedby_sum(struct graph *g, const struct heaptable *group, uint32_t groups,
                   const struct retainedby_second *second, struct retainedby_row *ret_rows)
{
    struct walk w = {.g = g,
                     .group = group,
                     .second = second,
                     .rows = ret_rows,
                     .groups = groups,
                     .objects = g->map.count};
    for (uint32_t i = 0; i < groups; i++)
        ret_rows[i] = (struct retainedby_row){.largest = GRAPH_NONE};
    int error = heaptable_guard(&g->store, sum, &w);
    heaproom_give(&g->room, w.on_way, groups * sizeof(*w.on_way));
    heaptable_done(&w.path);
    bitrank_done(&w.members, &g->room);
    bitrank_done(&w.above, &g->room);
    if (error < 0) /* the walk has left the table of dominators in pieces */
        graph_dominate_forget(g);
    return error;
}
