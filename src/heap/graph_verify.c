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
    const struct heaptable *dom;
    struct heaptable first, child; /* children of each object, then those of the virtual root */
    struct heaptable in, last;     /* the interval of the subtree in preorder */
    struct bitrank roots, entries;
    struct heaprefs *refs;
    struct heaptable arcs; /* beginnings and ends */
    char *why;
};

static int refuse(struct proving *p, heapnode object, const char *what)
{
    snprintf(p->why, GRAPH_WHY, "object 0x%" PRIx64 ": %s", graph_id(p->g, object), what);
    return E_FORMAT;
}

static heapnode dom_of(const struct proving *p, uint64_t object)
{
    return heaptable_node(p->dom, object);
}

static uint64_t row_of(const struct proving *p, heapnode dom)
{
    return dom == HEAPNODE_ROOT ? p->objects : dom;
}

static heapnode first_of(const struct proving *p, uint64_t row)
{
    return heaptable_node(&p->first, row);
}

static int take_tables(struct proving *p)
{
    struct heaptable_store *s = &p->g->store;
    int error = heaptable_init(&p->first, s, p->objects + 3, sizeof(heapnode));
    if (error == 0)
        error = heaptable_init(&p->child, s, p->objects, sizeof(heapnode));
    if (error == 0)
        error = heaptable_init(&p->in, s, p->objects, sizeof(heapnode));
    if (error == 0)
        error = heaptable_init(&p->last, s, p->objects, sizeof(heapnode));
    if (error == 0)
        error = heaptable_init(&p->arcs, s, 0, sizeof(heapnode));
    p->refs = heaproom_take(p->room, sizeof(*p->refs));
    return error == 0 && !p->refs ? E_LIMIT : error;
}

static int list_children(struct proving *p)
{
    for (uint64_t i = 0; i < p->objects; i++) {
        heapnode dom = dom_of(p, i);
        if (dom >= p->objects && dom != HEAPNODE_ROOT && dom != HEAPNODE_NONE)
            return refuse(p, (heapnode)i, "it has no dominator");
        if (dom == HEAPNODE_NONE)
            continue;
        uint64_t row = row_of(p, dom) + 2;
        heaptable_put(&p->first, row, first_of(p, row) + 1);
    }
    for (uint64_t i = 2; i < p->objects + 3; i++)
        heaptable_put(&p->first, i, first_of(p, i) + first_of(p, i - 1));
    for (uint64_t i = 0; i < p->objects; i++) {
        heapnode dom = dom_of(p, i);
        if (dom == HEAPNODE_NONE)
            continue;
        uint64_t row = row_of(p, dom) + 1;
        heapnode place = first_of(p, row);
        heaptable_put(&p->child, place, (heapnode)i);
        heaptable_put(&p->first, row, place + 1);
    }
    return 0;
}

/* Walks the tree; `last` holds the next child until an object is left. */
static int walk_tree(struct proving *p)
{
    uint64_t count = 0, next_top = first_of(p, p->objects);
    heapnode at = HEAPNODE_ROOT;
    for (;;) {
        bool is_root = at == HEAPNODE_ROOT;
        uint64_t next = is_root ? next_top++ : heaptable_node(&p->last, at);
        if (next < first_of(p, row_of(p, at) + 1)) {
            if (!is_root)
                heaptable_put(&p->last, at, (heapnode)(next + 1));
            at = heaptable_node(&p->child, next);
            heaptable_put(&p->in, at, (heapnode)count++);
            heaptable_put(&p->last, at, first_of(p, at));
            continue;
        }
        if (is_root)
            break;
        heaptable_put(&p->last, at, (heapnode)(count - 1));
        at = dom_of(p, at);
    }
    uint64_t reachable = 0;
    for (uint64_t i = 0; i < p->objects; i++)
        reachable += dom_of(p, i) != HEAPNODE_NONE;
    if (count == reachable && count == p->g->facts.reachable)
        return 0;
    snprintf(p->why, GRAPH_WHY, "the dominators are no tree of all reachable objects");
    return E_FORMAT;
}

static heapnode in_of(const struct proving *p, heapnode object)
{
    return heaptable_node(&p->in, object);
}

static bool is_above(const struct proving *p, heapnode above, heapnode below)
{
    return in_of(p, above) <= in_of(p, below) && in_of(p, below) <= heaptable_node(&p->last, above);
}

/* The child of `dom` in whose subtree an object is. */
static heapnode child_above(const struct proving *p, heapnode dom, heapnode object)
{
    uint64_t low = first_of(p, row_of(p, dom)), high = first_of(p, row_of(p, dom) + 1);
    heapnode in = in_of(p, object);
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (in_of(p, heaptable_node(&p->child, middle)) <= in)
            low = middle;
        else
            high = middle;
    }
    return heaptable_node(&p->child, low);
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
        if (dom_of(p, object) != HEAPNODE_ROOT)
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
        if (dom_of(p, from) == HEAPNODE_NONE)
            continue;
        for (uint32_t i = 0; error == 0 && i < p->refs->count; i++) {
            heapnode to = p->refs->to[i], dom = dom_of(p, to);
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
        for (uint32_t i = 0; dom_of(p, from) != HEAPNODE_NONE && i < p->refs->count; i++) {
            heapnode to = p->refs->to[i];
            if (bitrank_has(&p->entries, to))
                continue;
            heapnode sibling = child_above(p, dom_of(p, to), from);
            if (sibling == to)
                continue;
            int error = heaptable_add(&p->arcs, sibling);
            if (error == 0)
                error = heaptable_add(&p->arcs, to);
            if (error < 0)
                return error;
        }
    }
    return p->refs->error;
}

/* Reachable objects that no reference explains: they have no arc in the proof either. */
static int check_reached(struct proving *p, const struct bitrank *targets)
{
    for (uint64_t i = 0; i < p->objects; i++)
        if (dom_of(p, i) != HEAPNODE_NONE && !bitrank_has(&p->entries, i) &&
            !bitrank_has(targets, i))
            return refuse(p, (heapnode)i, "it is not reachable");
    return 0;
}

static int check_targets(struct proving *p)
{
    struct bitrank targets;
    int error = bitrank_init(&targets, p->room, p->objects);
    if (error == 0)
        error = collect_arcs(p);
    for (uint64_t i = 1; error == 0 && i < p->arcs.rows; i += 2)
        bitrank_add(&targets, heaptable_node(&p->arcs, i));
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
        error = derived_prove(&p->g->store, &p->arcs, &p->entries, p->objects, &object);
    return error > 0 ? refuse(p, object, "its dominator is not the immediate one") : error;
}

/* Retained sizes as differences of sums in preorder. */
static int check_sums(struct proving *p, struct heaptable *sums)
{
    heaprefs_begin(p->refs, p->g, &p->roots);
    while (heaprefs_next(p->refs)) {
        heapnode object = p->refs->owner;
        if (!p->refs->is_new || dom_of(p, object) == HEAPNODE_NONE)
            continue;
        uint64_t row = (uint64_t)in_of(p, object) + 1;
        if (heaptable_get(sums, row) == 0)
            heaptable_set(sums, row, heaprefs_shallow(p->refs));
    }
    if (p->refs->error < 0)
        return p->refs->error;
    for (uint64_t i = 1; i < sums->rows; i++)
        heaptable_set(sums, i, heaptable_get(sums, i) + heaptable_get(sums, i - 1));
    for (uint64_t i = 0; i < p->objects; i++) {
        if (dom_of(p, i) == HEAPNODE_NONE)
            continue;
        uint64_t end = heaptable_get(sums, (uint64_t)heaptable_node(&p->last, i) + 1);
        if (graph_retained(p->g, i) != end - heaptable_get(sums, in_of(p, (heapnode)i)))
            return refuse(p, (heapnode)i, "its retained size is wrong");
    }
    if (heaptable_get(sums, sums->rows - 1) == p->g->facts.reachable_bytes)
        return 0;
    snprintf(p->why, GRAPH_WHY, "the sum of all sizes is wrong");
    return E_FORMAT;
}

static int check_retained(struct proving *p)
{
    struct heaptable sums = {0};
    int error = heaptable_init(&sums, &p->g->store, p->g->facts.reachable + 1, sizeof(uint64_t));
    if (error == 0)
        error = check_sums(p, &sums);
    heaptable_done(&sums);
    return error;
}

static int prove(void *with)
{
    static int (*const steps[])(struct proving *) = {take_tables,   list_children, walk_tree,
                                                     find_roots,    check_parents, check_siblings,
                                                     check_retained};
    int error = 0;
    for (size_t i = 0; error == 0 && i < sizeof(steps) / sizeof(steps[0]); i++)
        error = steps[i](with);
    return error;
}

int graph_verify(struct graph *g, char ret_why[GRAPH_WHY])
{
    struct proving p = {
        .g = g, .room = &g->room, .objects = g->map.count, .dom = &g->d.dom, .why = ret_why};
    ret_why[0] = '\0';
    if (!g->d.is_known)
        return snprintf(ret_why, GRAPH_WHY, "there are no dominators to verify"), E_FORMAT;
    g->room.lacked = 0;
    int error = heaptable_guard(&g->store, prove, &p);
    heaproom_give(p.room, p.refs, sizeof(*p.refs));
    heaptable_done(&p.first);
    heaptable_done(&p.child);
    heaptable_done(&p.in);
    heaptable_done(&p.last);
    heaptable_done(&p.arcs);
    bitrank_done(&p.roots, p.room);
    bitrank_done(&p.entries, p.room);
    g->facts.memory_peak = g->room.peak;
    if (g->store.error < 0)
        graph_dominate_forget(g);
    return error == 0 || ret_why[0] != '\0' ? error : graph_index_lacks(g, error, ret_why);
}
