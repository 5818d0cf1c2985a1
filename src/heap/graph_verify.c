/*
 * graph_verify.c - proves dominators and retained sizes.
 *
 * A tree is the tree of dominators of a graph if two things hold. First, for each reference, the
 * parent of the object that it leads to is the object that refers, or above it: so each parent
 * dominates its children. Second, no child of an object dominates another child: so each parent is
 * the immediate dominator. For the second one, a reference from within the subtree of a child
 * stands for a reference from that child; where the parent itself refers to an object nothing is
 * left to prove. Retained sizes are proven by sums over intervals of a walk in preorder. Source:
 * Georgiadis, Tarjan, "Dominator tree certification and divergent spanning trees", 2016.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include "base/err.h"
#include "heap/graph.h"
#include "heap/derived.h"
#include "heap/heaprefs.h"

struct proving {
    struct graph *g;
    struct heaproom *room;
    uint64_t objects;
    const heapnode *dom;
    heapnode *first, *child; /* the children of each object, then those of the virtual root */
    heapnode *in, *last;     /* the interval of the subtree in preorder */
    struct bitrank roots, entries;
    struct heaprefs *refs;
    struct heaproom_list arcs; /* struct derived_arc */
    char *why;
};

static int refuse(struct proving *p, heapnode object, const char *what)
{
    snprintf(p->why, GRAPH_WHY, "object 0x%" PRIx64 ": %s", graph_id(p->g, object), what);
    return E_FORMAT;
}

static uint64_t row_of(const struct proving *p, heapnode dom)
{
    return dom == HEAPNODE_ROOT ? p->objects : dom;
}

static int list_children(struct proving *p)
{
    uint64_t rows = p->objects + 3;
    p->first = heaproom_take(p->room, rows * sizeof(*p->first));
    p->child = heaproom_take(p->room, p->objects * sizeof(*p->child));
    p->in = heaproom_take(p->room, p->objects * sizeof(*p->in));
    p->last = heaproom_take(p->room, p->objects * sizeof(*p->last));
    if (!p->first || !p->child || !p->in || !p->last)
        return E_LIMIT;
    for (uint64_t i = 0; i < p->objects; i++) {
        if (p->dom[i] >= HEAPNODE_MAX && p->dom[i] != HEAPNODE_ROOT && p->dom[i] != HEAPNODE_NONE)
            return refuse(p, (heapnode)i, "it has no dominator");
        if (p->dom[i] != HEAPNODE_NONE)
            p->first[row_of(p, p->dom[i]) + 2]++;
    }
    for (uint64_t i = 2; i < rows; i++)
        p->first[i] += p->first[i - 1];
    for (uint64_t i = 0; i < p->objects; i++)
        if (p->dom[i] != HEAPNODE_NONE)
            p->child[p->first[row_of(p, p->dom[i]) + 1]++] = (heapnode)i;
    return 0;
}

/* Walks the tree; `last` holds the next child until an object is left. */
static int walk_tree(struct proving *p)
{
    uint64_t count = 0, next_top = p->first[p->objects];
    heapnode at = HEAPNODE_ROOT;
    for (;;) {
        bool is_root = at == HEAPNODE_ROOT;
        uint64_t next = is_root ? next_top++ : p->last[at]++;
        if (next < p->first[row_of(p, at) + 1]) {
            at = p->child[next];
            p->in[at] = (heapnode)count++;
            p->last[at] = p->first[at];
            continue;
        }
        if (is_root)
            break;
        p->last[at] = (heapnode)(count - 1);
        at = p->dom[at];
    }
    uint64_t reachable = 0;
    for (uint64_t i = 0; i < p->objects; i++)
        reachable += p->dom[i] != HEAPNODE_NONE;
    if (count == reachable && count == p->g->facts.reachable)
        return 0;
    snprintf(p->why, GRAPH_WHY, "the dominators are no tree of all reachable objects");
    return E_FORMAT;
}

static bool is_above(const struct proving *p, heapnode above, heapnode below)
{
    return p->in[above] <= p->in[below] && p->in[below] <= p->last[above];
}

/* The child of `dom` in whose subtree an object is. */
static heapnode child_above(const struct proving *p, heapnode dom, heapnode object)
{
    uint64_t low = p->first[row_of(p, dom)], high = p->first[row_of(p, dom) + 1];
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (p->in[p->child[middle]] <= p->in[object])
            low = middle;
        else
            high = middle;
    }
    return p->child[low];
}

static int find_roots(struct proving *p)
{
    const struct graph *g = p->g;
    if (bitrank_init(&p->roots, p->room, p->objects) < 0 ||
        bitrank_init(&p->entries, p->room, p->objects) < 0)
        return E_LIMIT;
    for (uint64_t i = 0; i < g->facts.roots; i++) {
        if (!graph_root_is_own(&g->roots[i]))
            continue;
        heapnode object = (heapnode)g->roots[i].object;
        bitrank_add(&p->roots, object);
        bitrank_add(&p->entries, object);
        if (p->dom[object] != HEAPNODE_ROOT)
            return refuse(p, object, "it is a root, but something else dominates it");
    }
    return 0;
}

/* The first condition, for all references; and which parents refer to their children. */
static int check_parents(struct proving *p)
{
    int error = 0;
    heaprefs_begin(p->refs, p->g, &p->roots);
    while (error == 0 && heaprefs_next(p->refs)) {
        heapnode from = p->refs->owner;
        if (p->dom[from] == HEAPNODE_NONE)
            continue;
        for (uint32_t i = 0; error == 0 && i < p->refs->count; i++) {
            heapnode to = p->refs->to[i], dom = p->dom[to];
            if (dom == HEAPNODE_NONE)
                error = refuse(p, to, "it is reachable");
            else if (dom == from)
                bitrank_add(&p->entries, to);
            else if (dom != HEAPNODE_ROOT && !is_above(p, dom, from))
                error = refuse(p, to, "what should dominate it does not");
        }
    }
    return error < 0 ? error : p->refs->error;
}

/* What the second condition has to prove: references between children of one parent. */
static int collect_arcs(struct proving *p)
{
    heaprefs_begin(p->refs, p->g, &p->roots);
    while (heaprefs_next(p->refs)) {
        heapnode from = p->refs->owner;
        for (uint32_t i = 0; p->dom[from] != HEAPNODE_NONE && i < p->refs->count; i++) {
            heapnode to = p->refs->to[i];
            if (bitrank_has(&p->entries, to))
                continue;
            heapnode sibling = child_above(p, p->dom[to], from);
            if (sibling == to)
                continue;
            struct derived_arc *arc = heaproom_list_add(&p->arcs, p->room, sizeof(*arc));
            if (!arc)
                return E_LIMIT;
            *arc = (struct derived_arc){.from = sibling, .to = to};
        }
    }
    return p->refs->error;
}

/* Reachable objects that no reference explains: they have no arc in the proof either. */
static int check_reached(struct proving *p, const struct bitrank *targets)
{
    for (uint64_t i = 0; i < p->objects; i++)
        if (p->dom[i] != HEAPNODE_NONE && !bitrank_has(&p->entries, i) && !bitrank_has(targets, i))
            return refuse(p, (heapnode)i, "it is not reachable");
    return 0;
}

static int check_targets(struct proving *p)
{
    struct bitrank targets;
    const struct derived_arc *arcs;
    int error = bitrank_init(&targets, p->room, p->objects);
    if (error == 0)
        error = collect_arcs(p);
    arcs = (const void *)p->arcs.at;
    for (uint64_t i = 0; error == 0 && i < p->arcs.count; i++)
        bitrank_add(&targets, arcs[i].to);
    if (error == 0)
        error = check_reached(p, &targets);
    bitrank_done(&targets, p->room);
    return error;
}

/* The second condition. */
static int check_siblings(struct proving *p)
{
    heapnode object = 0;
    int error = check_targets(p);
    if (error == 0)
        error = derived_prove(p->room, &p->arcs, &p->entries, p->objects, &object);
    heaproom_list_done(&p->arcs, p->room);
    return error > 0 ? refuse(p, object, "its dominator is not the immediate one") : error;
}

/* Retained sizes as differences of sums in preorder. */
static int check_retained(struct proving *p)
{
    uint64_t rows = p->g->facts.reachable + 1, *sums = heaproom_take(p->room, rows * sizeof(*sums));
    if (!sums)
        return E_LIMIT;
    heaprefs_begin(p->refs, p->g, &p->roots);
    while (heaprefs_next(p->refs)) {
        heapnode object = p->refs->owner;
        if (p->refs->is_new && p->dom[object] != HEAPNODE_NONE &&
            sums[(uint64_t)p->in[object] + 1] == 0)
            sums[(uint64_t)p->in[object] + 1] = heaprefs_shallow(p->refs);
    }
    int error = p->refs->error;
    for (uint64_t i = 1; i < rows; i++)
        sums[i] += sums[i - 1];
    for (uint64_t i = 0; error == 0 && i < p->objects; i++)
        if (p->dom[i] != HEAPNODE_NONE &&
            graph_retained(p->g, i) != sums[(uint64_t)p->last[i] + 1] - sums[p->in[i]])
            error = refuse(p, (heapnode)i, "its retained size is wrong");
    if (error == 0 && sums[rows - 1] != p->g->facts.reachable_bytes) {
        snprintf(p->why, GRAPH_WHY, "the sum of all sizes is wrong");
        error = E_FORMAT;
    }
    heaproom_give(p->room, sums, rows * sizeof(*sums));
    return error;
}

static int prove(struct proving *p)
{
    p->refs = heaproom_take(p->room, sizeof(*p->refs));
    int error = p->refs ? list_children(p) : E_LIMIT;
    if (error == 0)
        error = walk_tree(p);
    if (error == 0)
        error = find_roots(p);
    if (error == 0)
        error = check_parents(p);
    if (error == 0)
        error = check_siblings(p);
    return error == 0 ? check_retained(p) : error;
}

int graph_verify(struct graph *g, char ret_why[GRAPH_WHY])
{
    struct proving p = {
        .g = g, .room = &g->room, .objects = g->map.count, .dom = g->dom, .why = ret_why};
    ret_why[0] = '\0';
    if (!g->dom)
        return snprintf(ret_why, GRAPH_WHY, "there are no dominators to verify"), E_FORMAT;
    g->room.lacked = 0;
    int error = prove(&p);
    heaproom_give(p.room, p.refs, sizeof(*p.refs));
    heaproom_give(p.room, p.first, (p.objects + 3) * sizeof(*p.first));
    heaproom_give(p.room, p.child, p.objects * sizeof(*p.child));
    heaproom_give(p.room, p.in, p.objects * sizeof(*p.in));
    heaproom_give(p.room, p.last, p.objects * sizeof(*p.last));
    heaproom_list_done(&p.arcs, p.room);
    bitrank_done(&p.roots, p.room);
    bitrank_done(&p.entries, p.room);
    g->facts.memory_peak = g->room.peak;
    if (error == E_LIMIT)
        return graph_index_lacks(g, ret_why);
    if (error < 0 && ret_why[0] == '\0')
        snprintf(ret_why, GRAPH_WHY, "%s", err_text(error));
    return error;
}
