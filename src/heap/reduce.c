/*
 * reduce.c - from a forest to the dominators of its tops.
 *
 * Of all references from one tree to one top only the nearest common ancestor of those who refer
 * matters. In preorder it is that of the first and the last of them. So a reference between these
 * two is dropped. A small cache remembers first and last for the pairs that were met lately; what
 * it forgets is stored twice, which does no harm. SPDX-License-Identifier: Apache-2.0
 */
#include "heap/reduce.h"
#include "base/err.h"
#include "heap/domtree.h"

enum { CACHE_ROWS = 1 << 16 };

/* References from a tree to a top: the first and the last who refers, in preorder. */
struct pair {
    heapnode tree, top; /* the number of the tree + 1, and `pre` of the top */
    heapnode first, last;
};

struct reduction {
    struct heaprefs *refs;
    struct heaproom *room;
    struct forest *forest;
    heapnode *parents;
    uint64_t objects;
    struct pair *cache;
    struct bitrank rooted; /* trees whose top is a child of the virtual root */
    heapnode *first;       /* by tree: the number + 1 of such a tree that refers to its top; 0 */
    struct heaproom_list arcs; /* struct domtree_arc: first by `pre`, then by node */
    struct bitrank marks;      /* `pre` of the objects that matter */
    uint64_t nodes;            /* how many they are */
    heapnode *object;          /* by node */
};

static int add_arc(struct reduction *r, heapnode from, heapnode to)
{
    struct domtree_arc *arc = heaproom_list_add(&r->arcs, r->room, sizeof(*arc));
    if (!arc)
        return E_LIMIT;
    *arc = (struct domtree_arc){.from = from, .to = to};
    return 0;
}

static heapnode tree_of(const struct reduction *r, heapnode pre)
{
    return bitrank_below(&r->forest->tops, (uint64_t)pre + 1) - 1;
}

/* Notes that a tree refers to the top of another one. Returns whether that top is, now or since
 * earlier, a child of the virtual root, so that no more has to be known of it. */
static bool is_settled(struct reduction *r, heapnode from, heapnode to)
{
    if (bitrank_has(&r->rooted, to))
        return true;
    if (!bitrank_has(&r->rooted, from))
        return false;
    if (r->first[to] == 0 || r->first[to] == from + 1) {
        r->first[to] = from + 1;
        return false;
    }
    bitrank_add(&r->rooted, to);
    return true;
}

/* Stores the reference, unless two others of the same tree to the same top make up for it. */
static int take_reference(struct reduction *r, heapnode from, heapnode tree, heapnode top)
{
    uint64_t hash = (uint64_t)tree * UINT64_C(0x9e3779b97f4a7c15) ^
                    (uint64_t)top * UINT64_C(0xbf58476d1ce4e5b9);
    struct pair *pair = &r->cache[hash >> 32 & (CACHE_ROWS - 1)];
    if (pair->tree != tree + 1 || pair->top != top)
        *pair = (struct pair){.tree = tree + 1, .top = top, .first = from, .last = from};
    else if (from < pair->first)
        pair->first = from;
    else if (from > pair->last)
        pair->last = from;
    else
        return 0;
    return add_arc(r, from, top);
}

static int take_piece(struct reduction *r)
{
    const struct heaprefs *refs = r->refs;
    const heapnode *pre = r->forest->pre;
    heapnode from = pre[refs->owner], tree = HEAPNODE_NONE;
    if (from == HEAPNODE_NONE)
        return 0;
    for (uint32_t i = 0; i < refs->count; i++) {
        heapnode to = refs->to[i];
        if (r->parents[to] != HEAPNODE_MANY)
            continue;
        if (tree == HEAPNODE_NONE)
            tree = tree_of(r, from);
        heapnode other = tree_of(r, pre[to]);
        /* A reference to the own top leads back up. */
        if (other == tree || is_settled(r, tree, other))
            continue;
        if (take_reference(r, from, tree, pre[to]) < 0)
            return E_LIMIT;
    }
    return 0;
}

/* Drops the arcs to tops that are settled, until no more of them become so. */
static void settle(struct reduction *r)
{
    struct domtree_arc *arcs = (void *)r->arcs.at;
    for (uint64_t before = UINT64_MAX; r->arcs.count < before;) {
        uint64_t kept = 0;
        before = r->arcs.count;
        for (uint64_t i = 0; i < before; i++)
            if (!is_settled(r, tree_of(r, arcs[i].from), tree_of(r, arcs[i].to)))
                arcs[kept++] = arcs[i];
        r->arcs.count = kept;
    }
    for (uint64_t i = 0; i < r->objects; i++)
        if (r->parents[i] == HEAPNODE_MANY &&
            bitrank_has(&r->rooted, tree_of(r, r->forest->pre[i])))
            r->parents[i] = HEAPNODE_ROOT;
}

static int find_rooted(struct reduction *r)
{
    r->first = heaproom_take(r->room, r->forest->trees * sizeof(*r->first));
    if (!r->first || bitrank_init(&r->rooted, r->room, r->forest->trees) < 0)
        return E_LIMIT;
    for (uint64_t i = 0; i < r->objects; i++)
        if (r->parents[i] == HEAPNODE_ROOT)
            bitrank_add(&r->rooted, tree_of(r, r->forest->pre[i]));
    return 0;
}

static int collect_arcs(struct reduction *r, struct graph *g, const struct bitrank *roots)
{
    r->cache = heaproom_take(r->room, CACHE_ROWS * sizeof(*r->cache));
    int error = r->cache ? find_rooted(r) : E_LIMIT;
    heaprefs_begin(r->refs, g, roots);
    while (error == 0 && heaprefs_next(r->refs))
        error = take_piece(r);
    error = error < 0 ? error : r->refs->error;
    if (error == 0)
        settle(r);
    heaproom_give(r->room, r->cache, CACHE_ROWS * sizeof(*r->cache));
    heaproom_give(r->room, r->first, r->forest->trees * sizeof(*r->first));
    bitrank_done(&r->rooted, r->room);
    return error;
}

/* Lists the marked objects in the order of `pre`. */
static int list_marked(struct reduction *r)
{
    heaproom_give(r->room, r->object, r->nodes * sizeof(*r->object));
    int64_t count = bitrank_seal(&r->marks, r->room);
    if (count < 0)
        return E_LIMIT;
    r->nodes = (uint64_t)count;
    r->object = heaproom_take(r->room, r->nodes * sizeof(*r->object));
    if (!r->object)
        return E_LIMIT;
    const heapnode *pre = r->forest->pre;
    for (uint64_t i = 0; i < r->objects; i++)
        if (pre[i] != HEAPNODE_NONE && bitrank_has(&r->marks, pre[i]))
            r->object[bitrank_below(&r->marks, pre[i])] = (heapnode)i;
    return 0;
}

static bool is_top(const struct reduction *r, heapnode object)
{
    return r->parents[object] == HEAPNODE_MANY || r->parents[object] == HEAPNODE_ROOT;
}

/* Marks where the ways from a top to two marked objects part. Between neighbours in preorder the
 * way up from the second one to that place passes objects that no other pair passes, so all ways
 * together are no longer than the forest. */
static void mark_partings(struct reduction *r)
{
    const heapnode *pre = r->forest->pre;
    for (uint64_t i = 0; i < r->nodes; i++) {
        heapnode at = r->object[i];
        heapnode before = i == 0 ? 0 : pre[r->object[i - 1]];
        /* Up to the first object that is not behind the one before; in another tree, up to the
         * top. */
        while (!is_top(r, at) && (i == 0 || pre[at] > before))
            at = r->parents[at];
        bitrank_add(&r->marks, pre[at]);
    }
}

static int mark_nodes(struct reduction *r)
{
    const struct domtree_arc *arcs = (const void *)r->arcs.at;
    if (bitrank_init(&r->marks, r->room, r->forest->count) < 0)
        return E_LIMIT;
    for (uint64_t i = 0; i < r->arcs.count; i++) {
        bitrank_add(&r->marks, arcs[i].from);
        bitrank_add(&r->marks, arcs[i].to);
    }
    if (list_marked(r) < 0)
        return E_LIMIT;
    mark_partings(r);
    return list_marked(r);
}

/* The parent of each node within the graph of marked objects. */
static heapnode *find_node_parents(struct reduction *r)
{
    const heapnode *pre = r->forest->pre;
    heapnode *up = heaproom_take(r->room, r->nodes * sizeof(*up));
    for (uint64_t i = 0; up && i < r->nodes; i++) {
        heapnode at = r->object[i];
        if (is_top(r, at)) {
            up[i] = r->parents[at];
            continue;
        }
        do
            at = r->parents[at];
        while (!bitrank_has(&r->marks, pre[at]));
        up[i] = bitrank_below(&r->marks, pre[at]);
    }
    return up;
}

static void number_arcs(struct reduction *r)
{
    struct domtree_arc *arcs = (void *)r->arcs.at;
    for (uint64_t i = 0; i < r->arcs.count; i++) {
        arcs[i].from = bitrank_below(&r->marks, arcs[i].from);
        arcs[i].to = bitrank_below(&r->marks, arcs[i].to);
    }
}

/* Tops to which no tree refers are reachable from no root. */
static void drop_lost_tops(struct reduction *r)
{
    for (uint64_t i = 0; i < r->objects; i++)
        if (r->parents[i] == HEAPNODE_MANY && !bitrank_has(&r->marks, r->forest->pre[i]))
            r->parents[i] = HEAPNODE_NONE;
}

static int solve(struct reduction *r)
{
    if (mark_nodes(r) < 0)
        return E_LIMIT;
    heapnode *up = find_node_parents(r);
    if (!up)
        return E_LIMIT;
    number_arcs(r);
    drop_lost_tops(r);
    bitrank_done(&r->marks, r->room);
    forest_done(r->forest, r->room, r->objects);
    struct domtree_graph graph = {.nodes = r->nodes, .parents = up, .arcs = r->arcs};
    r->arcs = (struct heaproom_list){0};
    heapnode *dom = heaproom_take(r->room, r->nodes * sizeof(*dom));
    int error = dom ? domtree_compute(&graph, r->room, dom) : E_LIMIT;
    heaproom_list_done(&graph.arcs, r->room);
    for (uint64_t i = 0; error == 0 && i < r->nodes; i++)
        if (up[i] == HEAPNODE_MANY)
            r->parents[r->object[i]] = dom[i] < HEAPNODE_MAX ? r->object[dom[i]] : dom[i];
    heaproom_give(r->room, dom, r->nodes * sizeof(*dom));
    heaproom_give(r->room, up, r->nodes * sizeof(*up));
    return error;
}

int reduce_dominate(struct heaprefs *refs, struct forest *forest, heapnode *parents)
{
    struct graph *g = refs->g;
    struct reduction r = {.refs = refs,
                          .room = &g->room,
                          .forest = forest,
                          .parents = parents,
                          .objects = g->map.count};
    int error = collect_arcs(&r, g, refs->roots);
    if (error == 0)
        error = solve(&r);
    heaproom_list_done(&r.arcs, r.room);
    bitrank_done(&r.marks, r.room);
    heaproom_give(r.room, r.object, r.nodes * sizeof(*r.object));
    return error;
}
