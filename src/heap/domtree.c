/*
 * domtree.c - dominators by SEMI-NCA.
 *
 * Nodes get the numbers of a depth-first search, from 1; 0 is the virtual root.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/domtree.h"
#include <stdbool.h>
#include "base/err.h"

/* Arcs sorted by one end: those of node i are at[first[i]] to at[first[i + 1] - 1]. */
struct adjacency {
    heapnode *first, *at;
    uint64_t nodes, count;
};

struct search {
    struct heaproom *room;
    uint64_t nodes;
    heapnode count;   /* nodes that were reached; their numbers are 1 to `count` */
    heapnode *number; /* by node; 0: not reached */
    heapnode *node;   /* by number */
    heapnode *parent; /* by number: the parent in the tree of the search */
};

static int adjacency_make(struct adjacency *a, struct heaproom *room, uint64_t nodes,
                          uint64_t count)
{
    *a = (struct adjacency){.nodes = nodes, .count = count};
    if (count > HEAPNODE_MAX)
        return E_LIMIT;
    a->first = heaproom_take(room, (nodes + 2) * sizeof(*a->first));
    a->at = heaproom_take(room, count * sizeof(*a->at));
    return a->first && a->at ? 0 : E_LIMIT;
}

static void adjacency_done(struct adjacency *a, struct heaproom *room)
{
    heaproom_give(room, a->first, (a->nodes + 2) * sizeof(*a->first));
    heaproom_give(room, a->at, a->count * sizeof(*a->at));
    *a = (struct adjacency){0};
}

/* Makes the counts in first[i + 2] the places at which rows begin, in first[i + 1]. */
static void adjacency_sum(struct adjacency *a)
{
    for (uint64_t i = 2; i < a->nodes + 2; i++)
        a->first[i] += a->first[i - 1];
}

static bool is_node(heapnode n)
{
    return n < HEAPNODE_MAX;
}

/* The arcs by their beginnings, with those from parents to children. */
static int make_forward(struct adjacency *a, struct heaproom *room, struct domtree_graph *g)
{
    const struct domtree_arc *arcs = (const void *)g->arcs.at;
    uint64_t children = 0;
    for (uint64_t i = 0; i < g->nodes; i++)
        children += is_node(g->parents[i]);
    int error = adjacency_make(a, room, g->nodes, children + g->arcs.count);
    if (error < 0)
        return error;
    for (uint64_t i = 0; i < g->nodes; i++)
        if (is_node(g->parents[i]))
            a->first[(uint64_t)g->parents[i] + 2]++;
    for (uint64_t i = 0; i < g->arcs.count; i++)
        a->first[(uint64_t)arcs[i].from + 2]++;
    adjacency_sum(a);
    for (uint64_t i = 0; i < g->nodes; i++)
        if (is_node(g->parents[i]))
            a->at[a->first[(uint64_t)g->parents[i] + 1]++] = (heapnode)i;
    for (uint64_t i = 0; i < g->arcs.count; i++)
        a->at[a->first[(uint64_t)arcs[i].from + 1]++] = arcs[i].to;
    return 0;
}

static void reach(struct search *s, heapnode node, heapnode parent)
{
    s->number[node] = ++s->count;
    s->node[s->count] = node;
    s->parent[s->count] = parent;
}

/* Searches from one top; the path is the chain of parents. */
static void search_from(struct search *s, const struct adjacency *a, heapnode *cursor, heapnode top)
{
    reach(s, top, 0);
    heapnode at = s->count;
    while (at != 0) {
        heapnode node = s->node[at];
        if (cursor[node] == a->first[node + 1]) {
            at = s->parent[at];
            continue;
        }
        heapnode to = a->at[cursor[node]++];
        if (s->number[to] == 0) {
            reach(s, to, at);
            at = s->count;
        }
    }
}

static int search_all(struct search *s, const struct adjacency *a, const heapnode *parents)
{
    heapnode *cursor = heaproom_take(s->room, s->nodes * sizeof(*cursor));
    s->number = heaproom_take(s->room, s->nodes * sizeof(*s->number));
    s->node = heaproom_take(s->room, (s->nodes + 1) * sizeof(*s->node));
    s->parent = heaproom_take(s->room, (s->nodes + 1) * sizeof(*s->parent));
    bool has_room = cursor && s->number && s->node && s->parent;
    for (uint64_t i = 0; has_room && i < s->nodes; i++)
        cursor[i] = a->first[i];
    for (uint64_t i = 0; has_room && i < s->nodes; i++)
        if (parents[i] == HEAPNODE_ROOT)
            search_from(s, a, cursor, (heapnode)i);
    heaproom_give(s->room, cursor, s->nodes * sizeof(*cursor));
    return has_room ? 0 : E_LIMIT;
}

static void search_done(struct search *s)
{
    heaproom_give(s->room, s->number, s->nodes * sizeof(*s->number));
    heaproom_give(s->room, s->node, (s->nodes + 1) * sizeof(*s->node));
    heaproom_give(s->room, s->parent, (s->nodes + 1) * sizeof(*s->parent));
}

/* The arcs to tops by their ends, in numbers of the search. */
static int make_backward(struct adjacency *to, const struct search *s, const struct adjacency *from,
                         const heapnode *parents)
{
    uint64_t count = 0;
    for (uint64_t n = 1; n <= s->count; n++)
        for (heapnode i = from->first[s->node[n]]; i < from->first[s->node[n] + 1]; i++)
            count += !is_node(parents[from->at[i]]);
    int error = adjacency_make(to, s->room, (uint64_t)s->count + 1, count);
    if (error < 0)
        return error;
    for (uint64_t n = 1; n <= s->count; n++)
        for (heapnode i = from->first[s->node[n]]; i < from->first[s->node[n] + 1]; i++)
            if (!is_node(parents[from->at[i]]))
                to->first[(uint64_t)s->number[from->at[i]] + 2]++;
    adjacency_sum(to);
    for (uint64_t n = 1; n <= s->count; n++)
        for (heapnode i = from->first[s->node[n]]; i < from->first[s->node[n] + 1]; i++)
            if (!is_node(parents[from->at[i]]))
                to->at[to->first[(uint64_t)s->number[from->at[i]] + 1]++] = (heapnode)n;
    return 0;
}

/* The tables of SEMI-NCA, by number. */
struct semi {
    heapnode *semi;     /* semidominators */
    heapnode *label;    /* the least semidominator on the way up to `ancestor` */
    heapnode *ancestor; /* the forest of linked nodes, with compressed paths; later the jumps */
    heapnode *dom;      /* a stack; later the dominators */
};

/* The least semidominator on the path from `n` up to the first node that is not linked yet: the
 * nodes above `last` are linked. Shortens the path. */
static heapnode eval(struct semi *t, heapnode n, heapnode last)
{
    heapnode *stack = t->dom;
    uint64_t depth = 0;
    if (t->ancestor[n] <= last)
        return t->label[n];
    heapnode at = n;
    while (t->ancestor[at] > last) {
        stack[depth++] = at;
        at = t->ancestor[at];
    }
    heapnode least = t->label[at], above = t->ancestor[at];
    while (depth > 0) {
        at = stack[--depth];
        if (t->label[at] < least)
            least = t->label[at];
        t->label[at] = least;
        t->ancestor[at] = above;
    }
    return least;
}

static void find_semis(struct semi *t, const struct search *s, const struct adjacency *back)
{
    for (heapnode n = 0; n <= s->count; n++)
        t->ancestor[n] = s->parent[n];
    for (heapnode n = s->count; n > 0; n--) {
        heapnode least = s->parent[n];
        for (heapnode i = back->first[n]; i < back->first[n + 1]; i++) {
            heapnode from = back->at[i];
            heapnode found = from <= n ? from : eval(t, from, n);
            least = found < least ? found : least;
        }
        t->semi[n] = t->label[n] = least;
    }
}

/* From semidominators to dominators: the nearest ancestor of the parent that is no lower. */
static void find_doms(struct semi *t, const struct search *s)
{
    heapnode *depth = t->label, *jump = t->ancestor;
    t->dom[0] = depth[0] = jump[0] = 0;
    for (heapnode n = 1; n <= s->count; n++) {
        heapnode at = s->parent[n], least = t->semi[n];
        while (at > least)
            at = jump[at] > least ? jump[at] : t->dom[at];
        heapnode skip = jump[at];
        t->dom[n] = at;
        depth[n] = depth[at] + 1;
        jump[n] = depth[at] - depth[skip] == depth[skip] - depth[jump[skip]] ? jump[skip] : at;
    }
}

static int find_dominators(struct semi *t, const struct search *s, const struct adjacency *back)
{
    uint64_t bytes = ((uint64_t)s->count + 1) * sizeof(*t->semi);
    *t = (struct semi){heaproom_take(s->room, bytes), heaproom_take(s->room, bytes),
                       heaproom_take(s->room, bytes), heaproom_take(s->room, bytes)};
    if (!t->semi || !t->label || !t->ancestor || !t->dom)
        return E_LIMIT;
    find_semis(t, s, back);
    find_doms(t, s);
    return 0;
}

static void semi_done(struct semi *t, const struct search *s)
{
    uint64_t bytes = ((uint64_t)s->count + 1) * sizeof(*t->semi);
    heaproom_give(s->room, t->semi, bytes);
    heaproom_give(s->room, t->label, bytes);
    heaproom_give(s->room, t->ancestor, bytes);
    heaproom_give(s->room, t->dom, bytes);
}

int domtree_compute(struct domtree_graph *graph, struct heaproom *room, heapnode *ret_dom)
{
    struct search s = {.room = room, .nodes = graph->nodes};
    struct adjacency forward = {0}, backward = {0};
    struct semi t = {0};
    int error = make_forward(&forward, room, graph);
    heaproom_list_done(&graph->arcs, room);
    if (error == 0)
        error = search_all(&s, &forward, graph->parents);
    if (error == 0)
        error = make_backward(&backward, &s, &forward, graph->parents);
    adjacency_done(&forward, room);
    if (error == 0)
        error = find_dominators(&t, &s, &backward);
    for (uint64_t i = 0; error == 0 && i < graph->nodes; i++) {
        ret_dom[i] = graph->parents[i];
        if (graph->parents[i] != HEAPNODE_MANY)
            continue;
        heapnode dom = s.number[i] == 0 ? 0 : t.dom[s.number[i]];
        ret_dom[i] = s.number[i] == 0 ? HEAPNODE_NONE : dom == 0 ? HEAPNODE_ROOT : s.node[dom];
    }
    semi_done(&t, &s);
    adjacency_done(&backward, room);
    search_done(&s);
    return error;
}
