/*
 * domtree.c - dominators by SEMI-NCA, in little memory.
 *
 * Nodes get the numbers of a depth-first search, from 1; 0 is the virtual root. Nodes that cannot
 * be reached get the numbers behind. Of the arcs by their ends only those from higher numbers are
 * kept: of the others the lowest beginning is enough, since a node with a lower number is its own
 * semidominator candidate. SPDX-License-Identifier: Apache-2.0
 */
#include "heap/domtree.h"
#include <stdbool.h>
#include "base/err.h"

enum { CUT = 1 << 18 /* arcs after which the list is made shorter */ };

struct solving {
    struct heaptable_store *store;
    const struct domtree_graph *graph;
    uint64_t nodes, count;  /* of all; of those that are reached */
    struct heaptable *arcs; /* pairs */
    uint64_t arc_count;
    struct heaptable at;     /* the ends of arcs, sorted by their beginnings */
    struct heaptable cursor; /* by node: the next arc; behind the search, where its arcs end */
    struct bitrank last;     /* arcs that are the last ones of a node */
    struct bitrank done;     /* nodes that have no arc to follow any more */
    struct heaptable number; /* by node */
    struct heaptable node;   /* by number, as all tables below */
    struct heaptable parent; /* in the tree of the search */
    struct heaptable back;   /* arcs from higher numbers, by their ends */
    /* Where the row of a number begins in `back`; behind the number that is worked on, the
     * semidominators, each one row later. */
    struct heaptable first;
    struct heaptable low;      /* the lowest beginning of an arc; later the least semidominator on
                                * the way up to `ancestor`; later the depth */
    struct heaptable ancestor; /* the forest of linked nodes; later the jumps */
    struct heaptable dom;
};

static int init_table(struct solving *s, struct heaptable *t, uint64_t rows)
{
    return heaptable_init(t, s->store, rows, sizeof(heapnode));
}

/* Makes rows of the ends of arcs, by their beginnings, and `cursor`, `last` and `done`. */
static int sort_arcs(struct solving *s)
{
    uint64_t sum = 0;
    int error = init_table(s, &s->cursor, s->nodes);
    if (error == 0)
        error = bitrank_init(&s->last, s->store->room, s->arc_count);
    if (error == 0)
        error = bitrank_init(&s->done, s->store->room, s->nodes);
    if (error == 0)
        error = init_table(s, &s->at, s->arc_count);
    for (uint64_t i = 0; error == 0 && i < s->arc_count; i++) {
        heapnode from = heaptable_node(s->arcs, i * 2);
        heaptable_put(&s->cursor, from, heaptable_node(&s->cursor, from) + 1);
    }
    for (uint64_t i = 0; error == 0 && i < s->nodes; i++) {
        uint64_t count = heaptable_node(&s->cursor, i);
        sum += count;
        if (count == 0)
            bitrank_add(&s->done, i);
        else
            bitrank_add(&s->last, sum - 1);
        heaptable_put(&s->cursor, i, (heapnode)sum);
    }
    /* From the back, so that the list of arcs can become shorter meanwhile, and each row begins
     * where it should when it is full. */
    for (uint64_t i = s->arc_count; error == 0 && i-- > 0;) {
        heapnode from = heaptable_node(s->arcs, i * 2), place = heaptable_node(&s->cursor, from);
        heaptable_put(&s->at, --place, heaptable_node(s->arcs, i * 2 + 1));
        heaptable_put(&s->cursor, from, place);
        if (i % CUT == 0)
            heaptable_cut(s->arcs, i * 2);
    }
    heaptable_done(s->arcs);
    return error;
}

static void reach(struct solving *s, heapnode node, heapnode parent)
{
    s->count++;
    heaptable_put(&s->number, node, (heapnode)s->count);
    heaptable_put(&s->node, s->count, node);
    heaptable_put(&s->parent, s->count, parent);
}

/* Searches from one node; the path is the chain of parents. */
static void search_from(struct solving *s, heapnode top)
{
    reach(s, top, 0);
    heapnode at = (heapnode)s->count;
    while (at != 0) {
        heapnode node = heaptable_node(&s->node, at);
        if (bitrank_has(&s->done, node)) {
            at = heaptable_node(&s->parent, at);
            continue;
        }
        heapnode arc = heaptable_node(&s->cursor, node), to = heaptable_node(&s->at, arc);
        heaptable_put(&s->cursor, node, arc + 1);
        if (bitrank_has(&s->last, arc))
            bitrank_add(&s->done, node);
        if (heaptable_node(&s->number, to) == 0) {
            reach(s, to, at);
            at = (heapnode)s->count;
        }
    }
}

static int search_all(struct solving *s)
{
    int error = init_table(s, &s->number, s->nodes);
    if (error == 0)
        error = init_table(s, &s->node, s->nodes + 1);
    if (error == 0)
        error = init_table(s, &s->parent, s->nodes + 1);
    if (error < 0)
        return error;
    for (uint64_t i = 0; i < s->nodes; i++)
        if (bitrank_has(&s->graph->roots, i))
            search_from(s, (heapnode)i);
    uint64_t reached = s->count;
    for (uint64_t i = 0; i < s->nodes; i++)
        if (heaptable_node(&s->number, i) == 0)
            search_from(s, (heapnode)i);
    s->count = reached;
    bitrank_done(&s->last, s->store->room);
    bitrank_done(&s->done, s->store->room);
    heaptable_done(&s->node);
    return 0;
}

/* Counts the arcs of a row that come from higher numbers, and finds the lowest beginnings; with
 * `fills` puts them into the rows of `back`. */
static void turn_row(struct solving *s, heapnode from, uint64_t arc, uint64_t end, bool fills)
{
    for (; arc < end; arc++) {
        heapnode node = heaptable_node(&s->at, arc);
        if (!bitrank_has(&s->graph->tops, node))
            continue;
        heapnode to = heaptable_node(&s->number, node);
        if (from < to) {
            if (!fills && from < heaptable_node(&s->low, to))
                heaptable_put(&s->low, to, from);
            continue;
        }
        heapnode row = heaptable_node(&s->first, (uint64_t)to + 1);
        if (fills)
            heaptable_put(&s->back, row, from);
        heaptable_put(&s->first, (uint64_t)to + 1, row + 1);
    }
}

/* Visits the arcs of all nodes that are reached, from the last one. */
static void turn_arcs(struct solving *s, bool fills)
{
    for (uint64_t i = s->nodes; i-- > 0;) {
        uint64_t begin = i == 0 ? 0 : heaptable_node(&s->cursor, i - 1);
        heapnode from = heaptable_node(&s->number, i);
        if (from <= s->count)
            turn_row(s, from, begin, heaptable_node(&s->cursor, i), fills);
        if (fills && i % CUT == 0)
            heaptable_cut(&s->at, begin);
    }
}

static int make_back(struct solving *s)
{
    uint64_t rows = s->count + 2, sum = 0;
    int error = init_table(s, &s->first, rows);
    if (error == 0)
        error = init_table(s, &s->low, rows);
    if (error < 0)
        return error;
    for (uint64_t n = 1; n <= s->count; n++)
        heaptable_put(&s->low, n, heaptable_node(&s->parent, n));
    turn_arcs(s, false);
    /* Row n + 1 gets the beginning of row n, which filling makes its end: the next beginning. */
    for (uint64_t n = 0; n + 1 < rows; n++) {
        uint64_t count = heaptable_node(&s->first, n + 1);
        heaptable_put(&s->first, n + 1, (heapnode)sum);
        sum += count;
    }
    error = init_table(s, &s->back, sum);
    if (error == 0)
        turn_arcs(s, true);
    heaptable_done(&s->at);
    heaptable_done(&s->cursor);
    return error;
}

/* The least semidominator on the path from `n` up to the first node that is not linked yet: the
 * nodes above `last` are linked. Shortens the path, which is turned around while it is followed, so
 * that it needs no stack. */
static heapnode eval(struct solving *s, heapnode n, heapnode last)
{
    heapnode at = n, below = 0, above = heaptable_node(&s->ancestor, n);
    if (above <= last)
        return heaptable_node(&s->low, n);
    while (above > last) {
        heaptable_put(&s->ancestor, at, below);
        below = at;
        at = above;
        above = heaptable_node(&s->ancestor, at);
    }
    heapnode least = heaptable_node(&s->low, at);
    while (below != 0) {
        heapnode next = heaptable_node(&s->ancestor, below);
        heapnode own = heaptable_node(&s->low, below);
        least = own < least ? own : least;
        heaptable_put(&s->low, below, least);
        heaptable_put(&s->ancestor, below, above);
        below = next;
    }
    return least;
}

static int find_semis(struct solving *s)
{
    int error = init_table(s, &s->ancestor, s->count + 1);
    if (error < 0)
        return error;
    for (uint64_t n = 0; n <= s->count; n++)
        heaptable_put(&s->ancestor, n, heaptable_node(&s->parent, n));
    for (uint64_t n = s->count; n > 0; n--) {
        heapnode least = heaptable_node(&s->low, n);
        uint64_t end = heaptable_node(&s->first, n + 1);
        for (uint64_t i = heaptable_node(&s->first, n); i < end; i++) {
            heapnode found = eval(s, heaptable_node(&s->back, i), (heapnode)n);
            least = found < least ? found : least;
        }
        heaptable_put(&s->low, n, least);
        heaptable_put(&s->first, n + 1, least);
    }
    heaptable_done(&s->back);
    return 0;
}

/* From semidominators to dominators: the nearest ancestor of the parent that is no lower. */
static int find_doms(struct solving *s)
{
    struct heaptable *depth = &s->low, *jump = &s->ancestor;
    int error = init_table(s, &s->dom, s->count + 1);
    if (error < 0)
        return error;
    heaptable_put(depth, 0, 0);
    heaptable_put(jump, 0, 0);
    for (uint64_t n = 1; n <= s->count; n++) {
        heapnode at = heaptable_node(&s->parent, n), least = heaptable_node(&s->first, n + 1);
        while (at > least) {
            heapnode over = heaptable_node(jump, at);
            at = over > least ? over : heaptable_node(&s->dom, at);
        }
        heapnode skip = heaptable_node(jump, at), next = heaptable_node(jump, skip);
        heapnode here = heaptable_node(depth, at), there = heaptable_node(depth, skip);
        bool is_even = here - there == there - heaptable_node(depth, next);
        heaptable_put(&s->dom, n, at);
        heaptable_put(depth, n, here + 1);
        heaptable_put(jump, n, is_even ? next : at);
    }
    heaptable_done(&s->parent);
    heaptable_done(&s->first);
    heaptable_done(&s->low);
    heaptable_done(&s->ancestor);
    return 0;
}

/* Dominators by node. */
static int tell(struct solving *s, struct heaptable *ret_dom)
{
    int error = init_table(s, &s->node, s->nodes + 1);
    for (uint64_t i = 0; error == 0 && i < s->nodes; i++)
        heaptable_put(&s->node, heaptable_node(&s->number, i), (heapnode)i);
    for (uint64_t i = 0; error == 0 && i < s->nodes; i++) {
        heapnode number = heaptable_node(&s->number, i);
        heapnode dom = number > s->count ? 0 : heaptable_node(&s->dom, number);
        heapnode node = dom == 0 ? HEAPNODE_ROOT : heaptable_node(&s->node, dom);
        heaptable_put(&s->number, i, number > s->count ? HEAPNODE_NONE : node);
    }
    heaptable_move(ret_dom, &s->number);
    return error;
}

int domtree_compute(struct domtree_graph *graph, struct heaptable_store *store,
                    struct heaptable *ret_dom)
{
    struct solving s = {.store = store, .graph = graph, .nodes = graph->nodes, .arcs = graph->arcs};
    static int (*const steps[])(struct solving *) = {sort_arcs, search_all, make_back, find_semis,
                                                     find_doms};
    s.arc_count = graph->arcs->rows / 2;
    int error = s.arc_count > HEAPNODE_MAX ? E_LIMIT : 0;
    for (size_t i = 0; error == 0 && i < sizeof(steps) / sizeof(steps[0]); i++)
        error = steps[i](&s);
    if (error == 0)
        error = tell(&s, ret_dom);
    struct heaptable *tables[] = {s.arcs,  &s.at,    &s.cursor, &s.number,   &s.node, &s.parent,
                                  &s.back, &s.first, &s.low,    &s.ancestor, &s.dom};
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        heaptable_done(tables[i]);
    bitrank_done(&s.last, store->room);
    bitrank_done(&s.done, store->room);
    return error;
}
