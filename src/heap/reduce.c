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

enum {
    CACHE_MOST = 1 << 16, /* rows, a power of 2 */
    CACHE_LEAST = 1 << 8,
    CACHE_SHARE = 64, /* of the memory */
};

/* References from a tree to a top: the first and the last who refers, in preorder. */
struct pair {
    heapnode tree, top; /* the number of the tree + 1, and `pre` of the top */
    heapnode first, last;
};

struct reduction {
    struct heaprefs *refs;
    struct heaproom *room;
    struct heaptable_store *store;
    struct forest *forest;
    struct heaptable *parents;
    const struct bitrank *many;
    uint64_t objects;
    struct pair *cache;
    uint64_t cache_rows;
    struct bitrank rooted;   /* trees whose top is a child of the virtual root */
    struct heaptable first;  /* by tree: the number + 1 of such a tree that refers to its top; 0 */
    struct heaptable arcs;   /* beginnings and ends: first by `pre`, then by node */
    struct bitrank marks;    /* `pre` of the objects that matter */
    uint64_t nodes;          /* how many they are */
    struct heaptable object; /* of the marked ones in the order of `pre`; later their nodes */
    struct bitrank members;  /* objects that are nodes; nodes have the order of objects */
};

static int add_arc(struct reduction *r, heapnode from, heapnode to)
{
    int error = heaptable_add(&r->arcs, from);
    return error < 0 ? error : heaptable_add(&r->arcs, to);
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
    heapnode first = heaptable_node(&r->first, to);
    if (first == 0 || first == from + 1) {
        heaptable_put(&r->first, to, from + 1);
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
    struct pair *pair = &r->cache[hash >> 32 & (r->cache_rows - 1)];
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
    heapnode from = HEAPNODE_NONE, tree = HEAPNODE_NONE;
    for (uint32_t i = 0; i < refs->count; i++) {
        heapnode to = refs->to[i];
        if (!bitrank_has(r->many, to))
            continue;
        if (tree == HEAPNODE_NONE) {
            from = forest_pre(r->forest, refs->owner);
            if (from == HEAPNODE_NONE)
                return 0;
            tree = tree_of(r, from);
        }
        heapnode top = forest_pre(r->forest, to), other = tree_of(r, top);
        /* A reference to the own top leads back up. */
        if (other == tree || is_settled(r, tree, other))
            continue;
        int error = take_reference(r, from, tree, top);
        if (error < 0)
            return error;
    }
    return 0;
}

/* Drops the arcs to tops that are settled, until no more of them become so. */
static void settle(struct reduction *r)
{
    for (uint64_t before = UINT64_MAX; r->arcs.rows < before;) {
        uint64_t kept = 0;
        before = r->arcs.rows;
        for (uint64_t i = 0; i < before; i += 2) {
            heapnode from = heaptable_node(&r->arcs, i), to = heaptable_node(&r->arcs, i + 1);
            if (is_settled(r, tree_of(r, from), tree_of(r, to)))
                continue;
            heaptable_put(&r->arcs, kept++, from);
            heaptable_put(&r->arcs, kept++, to);
        }
        r->arcs.rows = kept;
    }
    for (uint64_t i = 0; i < r->objects; i++)
        if (bitrank_has(r->many, i) &&
            bitrank_has(&r->rooted, tree_of(r, forest_pre(r->forest, (heapnode)i))))
            heaptable_put(r->parents, i, HEAPNODE_ROOT);
}

static int find_rooted(struct reduction *r)
{
    int error = heaptable_init(&r->first, r->store, r->forest->trees, sizeof(heapnode));
    if (error == 0)
        error = bitrank_init(&r->rooted, r->room, r->forest->trees);
    for (uint64_t i = 0; error == 0 && i < r->objects; i++)
        if (heaptable_node(r->parents, i) == HEAPNODE_ROOT)
            bitrank_add(&r->rooted, tree_of(r, forest_pre(r->forest, (heapnode)i)));
    return error;
}

static int collect_arcs(struct reduction *r, struct graph *g, const struct bitrank *roots)
{
    r->cache_rows = CACHE_MOST;
    while (r->cache_rows > CACHE_LEAST &&
           r->cache_rows * sizeof(*r->cache) > r->room->limit / CACHE_SHARE)
        r->cache_rows /= 2;
    r->cache = heaproom_take(r->room, r->cache_rows * sizeof(*r->cache));
    int error = r->cache ? heaptable_init(&r->arcs, r->store, 0, sizeof(heapnode)) : E_LIMIT;
    if (error == 0)
        error = find_rooted(r);
    heaprefs_begin(r->refs, g, roots);
    r->refs->touched = &r->forest->pre;
    while (error == 0 && heaprefs_next(r->refs))
        error = take_piece(r);
    error = error < 0 ? error : r->refs->error;
    if (error == 0)
        settle(r);
    heaproom_give(r->room, r->cache, r->cache_rows * sizeof(*r->cache));
    heaptable_done(&r->first);
    bitrank_done(&r->rooted, r->room);
    return error;
}

/* Lists the marked objects in the order of `pre`. */
static int list_marked(struct reduction *r)
{
    heaptable_done(&r->object);
    int64_t count = bitrank_seal(&r->marks, r->room);
    if (count < 0)
        return E_LIMIT;
    r->nodes = (uint64_t)count;
    int error = heaptable_init(&r->object, r->store, r->nodes, sizeof(heapnode));
    for (uint64_t i = 0; error == 0 && i < r->objects; i++) {
        heapnode pre = forest_pre(r->forest, (heapnode)i);
        if (pre != HEAPNODE_NONE && bitrank_has(&r->marks, pre))
            heaptable_put(&r->object, bitrank_below(&r->marks, pre), (heapnode)i);
    }
    return error;
}

static bool is_top(const struct reduction *r, heapnode pre)
{
    return bitrank_has(&r->forest->tops, pre);
}

/* Marks where the ways from a top to two marked objects part. Between neighbours in preorder the
 * way up from the second one to that place passes objects that no other pair passes, so all ways
 * together are no longer than the forest. */
static void mark_partings(struct reduction *r)
{
    heapnode before = 0;
    for (uint64_t i = 0; i < r->nodes; i++) {
        heapnode at = heaptable_node(&r->object, i), pre = forest_pre(r->forest, at), own = pre;
        /* Up to the first object that is not behind the one before; in another tree, up to the
         * top. */
        while (!is_top(r, pre) && (i == 0 || pre > before)) {
            at = heaptable_node(r->parents, at);
            pre = forest_pre(r->forest, at);
        }
        bitrank_add(&r->marks, pre);
        before = own;
    }
}

static int mark_nodes(struct reduction *r)
{
    if (bitrank_init(&r->marks, r->room, r->forest->count) < 0)
        return E_LIMIT;
    for (uint64_t i = 0; i < r->arcs.rows; i++)
        bitrank_add(&r->marks, heaptable_node(&r->arcs, i));
    int error = list_marked(r);
    if (error < 0)
        return error;
    mark_partings(r);
    return list_marked(r);
}

/* Makes nodes of the marked objects, and tells which of them are roots and tops. */
static int make_nodes(struct reduction *r, struct domtree_graph *graph)
{
    int error = bitrank_init(&r->members, r->room, r->objects);
    for (uint64_t i = 0; error == 0 && i < r->nodes; i++)
        bitrank_add(&r->members, heaptable_node(&r->object, i));
    if (error == 0 && bitrank_seal(&r->members, r->room) < 0)
        error = E_LIMIT;
    if (error == 0)
        error = bitrank_init(&graph->roots, r->room, r->nodes);
    if (error == 0)
        error = bitrank_init(&graph->tops, r->room, r->nodes);
    for (uint64_t i = 0; error == 0 && i < r->nodes; i++) {
        heapnode at = heaptable_node(&r->object, i), node = bitrank_below(&r->members, at);
        heapnode parent = heaptable_node(r->parents, at);
        if (parent == HEAPNODE_ROOT || parent == HEAPNODE_MANY)
            bitrank_add(parent == HEAPNODE_ROOT ? &graph->roots : &graph->tops, node);
    }
    return error;
}

/* Adds the arcs to the marked objects that are no tops. */
static int add_tree_arcs(struct reduction *r)
{
    for (uint64_t i = 0; i < r->nodes; i++) {
        heapnode at = heaptable_node(&r->object, i), own = forest_pre(r->forest, at), pre;
        if (is_top(r, own))
            continue;
        do {
            at = heaptable_node(r->parents, at);
            pre = forest_pre(r->forest, at);
        } while (!bitrank_has(&r->marks, pre));
        int error = add_arc(r, pre, own);
        if (error < 0)
            return error;
    }
    return 0;
}

/* Gives arcs the numbers of nodes. */
static void number_arcs(struct reduction *r)
{
    for (uint64_t i = 0; i < r->nodes; i++)
        heaptable_put(&r->object, i, bitrank_below(&r->members, heaptable_node(&r->object, i)));
    for (uint64_t i = 0; i < r->arcs.rows; i++) {
        heapnode rank = bitrank_below(&r->marks, heaptable_node(&r->arcs, i));
        heaptable_put(&r->arcs, i, heaptable_node(&r->object, rank));
    }
    heaptable_done(&r->object);
}

/* Lists the objects that are nodes. */
static int list_nodes(struct reduction *r)
{
    int error = heaptable_init(&r->object, r->store, r->nodes, sizeof(heapnode));
    for (uint64_t i = 0, node = 0; error == 0 && i < r->objects; i++)
        if (bitrank_has(&r->members, i))
            heaptable_put(&r->object, node++, (heapnode)i);
    return error;
}

/* Tops to which no tree refers are reachable from no root. */
static void drop_lost_tops(struct reduction *r)
{
    for (uint64_t i = 0; i < r->objects; i++)
        if (bitrank_has(r->many, i) && heaptable_node(r->parents, i) == HEAPNODE_MANY &&
            !bitrank_has(&r->marks, forest_pre(r->forest, (heapnode)i)))
            heaptable_put(r->parents, i, HEAPNODE_NONE);
}

static int solve(struct reduction *r, struct domtree_graph *graph)
{
    int error = mark_nodes(r);
    if (error == 0)
        error = make_nodes(r, graph);
    if (error == 0) {
        drop_lost_tops(r);
        error = add_tree_arcs(r);
    }
    if (error == 0)
        number_arcs(r);
    bitrank_done(&r->marks, r->room);
    forest_done(r->forest, r->room);
    graph->nodes = r->nodes;
    graph->arcs = &r->arcs;
    struct heaptable dom = {0};
    if (error == 0)
        error = domtree_compute(graph, r->store, &dom);
    if (error == 0)
        error = list_nodes(r);
    for (uint64_t i = 0; error == 0 && i < r->nodes; i++) {
        if (!bitrank_has(&graph->tops, i))
            continue;
        heapnode node = heaptable_node(&dom, i);
        heaptable_put(r->parents, heaptable_node(&r->object, i),
                      node < HEAPNODE_MAX ? heaptable_node(&r->object, node) : node);
    }
    heaptable_done(&dom);
    return error;
}

int reduce_dominate(struct heaprefs *refs, struct forest *forest, struct heaptable *parents,
                    const struct bitrank *many)
{
    struct graph *g = refs->g;
    struct domtree_graph graph = {0};
    struct reduction r = {.refs = refs,
                          .room = &g->room,
                          .store = &g->store,
                          .forest = forest,
                          .parents = parents,
                          .many = many,
                          .objects = g->map.count};
    int error = collect_arcs(&r, g, refs->roots);
    if (error == 0)
        error = solve(&r, &graph);
    heaptable_done(&r.arcs);
    heaptable_done(&r.object);
    bitrank_done(&r.marks, r.room);
    bitrank_done(&r.members, r.room);
    bitrank_done(&graph.roots, r.room);
    bitrank_done(&graph.tops, r.room);
    return error;
}
