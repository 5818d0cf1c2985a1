/*
 * graph_dominate.c - the dominators and retained sizes of all objects.
 *
 * The steps, with what they keep for each object: one pass over the file finds the only referrer of
 * each object (4 bytes) and its shallow size (1 byte); the trees that these referrers make are
 * numbered (4 bytes); a second pass stores what refers to
 * objects with several referrers, and the small graph of these is solved (reduce.h); then sizes are
 * summed from the leaves up (5 bytes for each object that dominates another one).
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdlib.h>
#include "base/err.h"
#include "heap/graph.h"
#include "heap/forest.h"
#include "heap/heaprefs.h"
#include "heap/reduce.h"

enum {
    CHILDREN = 255, /* that do not fit into the byte */
    EXPECTED = 28,  /* bytes of all tables for each object; more for a dense graph */
};

struct dominating {
    struct graph *g;
    struct heaproom *room;
    uint64_t objects;
    struct bitrank roots;
    struct bitrank many; /* objects with several referrers */
    struct heaprefs *refs;
    struct forest forest;
};

/* The row of an object in a list of struct graph_large that is sorted by object; NULL: none. */
static struct graph_large *large_of(const struct heaproom_list *list, graph_object object)
{
    struct graph_large *rows = (void *)list->at;
    uint64_t low = 0, high = list->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (rows[middle].object < object)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->count && rows[low].object == object ? &rows[low] : NULL;
}

uint64_t graph_dominate_units(const struct graph *g, graph_object object)
{
    uint8_t units = heaptable_byte(&g->d.shallow, object);
    const struct graph_large *large =
        units == GRAPH_SHALLOW_LARGE ? large_of(&g->d.large, object) : NULL;
    return large ? large->value : units;
}

/* An index that somebody has changed may have a dominator that holds nothing. */
int graph_dominate_own(struct graph *g)
{
    struct heaptable own;
    if (!g->kept.is_used || g->d.dom.store == &g->store)
        return 0;
    int error = heaptable_init(&own, &g->store, g->map.count, sizeof(heapnode));
    for (uint64_t i = 0; error == 0 && i < g->map.count; i++) {
        graph_object dom = graph_dominator(g, i);
        bool is_held = dom < g->map.count && bitrank_has(&g->d.holders, dom);
        heapnode row = dom == GRAPH_ROOT ? HEAPNODE_ROOT : HEAPNODE_NONE;
        heaptable_put(&own, i, is_held ? (heapnode)dom : row);
    }
    if (error == 0) {
        heaptable_done(&g->d.dom);
        heaptable_move(&g->d.dom, &own);
    }
    heaptable_done(&own);
    return error;
}

void graph_dominate_forget(struct graph *g)
{
    heaptable_done(&g->d.dom);
    heaptable_done(&g->d.shallow);
    heaptable_done(&g->d.sums);
    heaproom_list_done(&g->d.large, &g->room);
    bitrank_done(&g->d.holders, &g->room);
    g->d.is_known = false;
}

static int find_roots(struct dominating *d)
{
    const struct graph *g = d->g;
    if (bitrank_init(&d->roots, d->room, d->objects) < 0)
        return E_LIMIT;
    for (uint64_t i = 0; i < g->facts.roots; i++)
        if (graph_root_is_own(&g->roots[i]))
            bitrank_add(&d->roots, g->roots[i].object);
    return 0;
}

static int take_shallow(struct dominating *d)
{
    struct graph *g = d->g;
    uint64_t units = heaprefs_shallow(d->refs) / GRAPH_UNIT;
    heapnode object = d->refs->owner;
    if (heaptable_byte(&g->d.shallow, object) != 0)
        return 0; /* a second record of the object */
    g->facts.bytes += units * GRAPH_UNIT;
    if (units < GRAPH_SHALLOW_LARGE) {
        heaptable_put_byte(&g->d.shallow, object, (uint8_t)units);
        return 0;
    }
    struct graph_large *row = heaproom_list_add(&g->d.large, d->room, sizeof(*row));
    if (!row)
        return E_LIMIT;
    *row = (struct graph_large){.value = units, .object = object};
    heaptable_put_byte(&g->d.shallow, object, GRAPH_SHALLOW_LARGE);
    return 0;
}

static int by_object(const void *a, const void *b)
{
    const struct graph_large *x = a, *y = b;
    return x->object < y->object ? -1 : x->object > y->object;
}

/* Which objects have several referrers. */
static int find_many(struct dominating *d)
{
    if (bitrank_init(&d->many, d->room, d->objects) < 0)
        return E_LIMIT;
    for (uint64_t i = 0; i < d->objects; i++)
        if (heaptable_node(&d->g->d.dom, i) == HEAPNODE_MANY)
            bitrank_add(&d->many, i);
    return 0;
}

/* The first pass: the only referrer of each object. */
static int find_referrers(struct dominating *d)
{
    struct heaptable *only = &d->g->d.dom;
    for (uint64_t i = 0; i < d->objects; i++)
        heaptable_put(only, i, bitrank_has(&d->roots, i) ? HEAPNODE_ROOT : HEAPNODE_NONE);
    d->g->facts.bytes = 0;
    heaprefs_begin(d->refs, d->g, &d->roots);
    d->refs->touched = only;
    while (heaprefs_next(d->refs)) {
        heapnode owner = d->refs->owner;
        if (d->refs->is_new && take_shallow(d) < 0)
            return E_LIMIT;
        for (uint32_t i = 0; i < d->refs->count; i++) {
            heapnode to = d->refs->to[i], now = heaptable_node(only, to);
            if (now == HEAPNODE_NONE)
                heaptable_put(only, to, owner);
            else if (now != owner && now != HEAPNODE_MANY)
                heaptable_put(only, to, HEAPNODE_MANY);
        }
    }
    struct heaproom_list *large = &d->g->d.large;
    if (large->count > 0)
        qsort(large->at, large->count, sizeof(struct graph_large), by_object);
    return d->refs->error;
}

/* Sets the dominator of each object that no root reaches to HEAPNODE_NONE. */
static int drop_unreachable(struct dominating *d)
{
    struct heaptable *dom = &d->g->d.dom;
    struct bitrank reached, lost;
    int error = bitrank_init(&reached, d->room, d->objects);
    if (bitrank_init(&lost, d->room, d->objects) < 0)
        error = E_LIMIT;
    for (uint64_t i = 0; error == 0 && i < d->objects; i++) {
        heapnode at = (heapnode)i, above = heaptable_node(dom, at);
        while (above < HEAPNODE_MAX && !bitrank_has(&reached, at) && !bitrank_has(&lost, at)) {
            at = above;
            above = heaptable_node(dom, at);
        }
        bool is_lost = bitrank_has(&lost, at) || above == HEAPNODE_NONE;
        struct bitrank *to = is_lost ? &lost : &reached;
        for (at = (heapnode)i; !bitrank_has(to, at); at = above) {
            above = heaptable_node(dom, at);
            if (above >= HEAPNODE_MAX)
                break;
            bitrank_add(to, at);
        }
    }
    for (uint64_t i = 0; error == 0 && i < d->objects; i++)
        if (bitrank_has(&lost, i))
            heaptable_put(dom, i, HEAPNODE_NONE);
    bitrank_done(&reached, d->room);
    bitrank_done(&lost, d->room);
    return error;
}

/* The children of each object that are not summed yet, by its rank among those that hold others. */
struct summing {
    struct graph *g;
    struct heaptable children;    /* or CHILDREN */
    struct heaproom_list crowded; /* struct graph_large of those with many, sorted by object */
};

static uint64_t rank_of(const struct summing *s, heapnode object)
{
    return bitrank_below(&s->g->d.holders, object);
}

/* Finds the objects that hold others, and takes the tables for them. */
static int find_holders(struct summing *s, struct dominating *d)
{
    struct graph *g = d->g;
    bool is_wide = g->facts.bytes / GRAPH_UNIT > UINT32_MAX;
    int error = bitrank_init(&g->d.holders, d->room, d->objects);
    for (uint64_t i = 0; error == 0 && i < d->objects; i++) {
        heapnode dom = heaptable_node(&g->d.dom, i);
        if (dom < HEAPNODE_MAX)
            bitrank_add(&g->d.holders, dom);
    }
    int64_t count = error < 0 ? error : bitrank_seal(&g->d.holders, d->room);
    if (count < 0)
        return E_LIMIT;
    error = heaptable_init(&g->d.sums, &g->store, (uint64_t)count,
                           is_wide ? sizeof(uint64_t) : sizeof(uint32_t));
    return error < 0 ? error : heaptable_init(&s->children, &g->store, (uint64_t)count, 1);
}

static int count_children(struct summing *s, struct dominating *d)
{
    const struct heaptable *dom = &d->g->d.dom;
    for (uint64_t i = 0; i < d->objects; i++) {
        heapnode parent = heaptable_node(dom, i);
        if (parent >= HEAPNODE_MAX)
            continue;
        uint64_t row = rank_of(s, parent);
        uint8_t children = heaptable_byte(&s->children, row);
        if (children < CHILDREN)
            heaptable_put_byte(&s->children, row, children + 1);
    }
    for (uint64_t i = 0, row = 0; i < d->objects; i++) {
        if (!bitrank_has(&d->g->d.holders, i) || heaptable_byte(&s->children, row++) != CHILDREN)
            continue;
        struct graph_large *crowd = heaproom_list_add(&s->crowded, d->room, sizeof(*crowd));
        if (!crowd)
            return E_LIMIT;
        *crowd = (struct graph_large){.object = (heapnode)i};
    }
    for (uint64_t i = 0; s->crowded.count > 0 && i < d->objects; i++) {
        heapnode parent = heaptable_node(dom, i);
        if (parent < HEAPNODE_MAX && heaptable_byte(&s->children, rank_of(s, parent)) == CHILDREN)
            large_of(&s->crowded, parent)->value++;
    }
    return 0;
}

/* Takes one child off. Returns whether it was the last one. */
static bool is_last_child(struct summing *s, heapnode parent, uint64_t row)
{
    uint8_t children = heaptable_byte(&s->children, row);
    if (children == CHILDREN)
        return --large_of(&s->crowded, parent)->value == 0;
    heaptable_put_byte(&s->children, row, children - 1);
    return children == 1;
}

/* Adds the sum of a leaf to its parent, and goes on up while the parent has no other child. */
static void sum_up_from(struct summing *s, heapnode at)
{
    struct graph *g = s->g;
    uint64_t units = graph_dominate_units(g, at);
    for (;;) {
        heapnode parent = heaptable_node(&g->d.dom, at);
        if (parent >= HEAPNODE_MAX)
            return;
        uint64_t row = rank_of(s, parent), sum = heaptable_get(&g->d.sums, row) + units;
        heaptable_set(&g->d.sums, row, sum);
        if (!is_last_child(s, parent, row))
            return;
        units = sum + graph_dominate_units(g, parent);
        heaptable_set(&g->d.sums, row, units);
        at = parent;
    }
}

static int sum_retained(struct dominating *d)
{
    struct graph *g = d->g;
    struct summing s = {.g = g};
    int error = find_holders(&s, d);
    if (error == 0)
        error = count_children(&s, d);
    for (uint64_t i = 0; error == 0 && i < d->objects; i++)
        if (!bitrank_has(&g->d.holders, i))
            sum_up_from(&s, (heapnode)i);
    heaptable_done(&s.children);
    heaproom_list_done(&s.crowded, d->room);
    g->facts.reachable = g->facts.reachable_bytes = 0;
    g->d.is_known = error == 0;
    for (uint64_t i = 0; error == 0 && i < d->objects; i++) {
        heapnode dom = heaptable_node(&g->d.dom, i);
        g->facts.reachable += dom != HEAPNODE_NONE;
        if (dom == HEAPNODE_ROOT)
            g->facts.reachable_bytes += graph_retained(g, i);
    }
    return error;
}

static int take_tables(struct dominating *d)
{
    struct graph *g = d->g;
    int error = heaptable_init(&g->d.dom, &g->store, d->objects, sizeof(heapnode));
    if (error == 0)
        error = heaptable_init(&g->d.shallow, &g->store, d->objects, 1);
    d->refs = heaproom_take(d->room, sizeof(*d->refs));
    return error == 0 && !d->refs ? E_LIMIT : error;
}

static void done(struct dominating *d)
{
    heaproom_give(d->room, d->refs, sizeof(*d->refs));
    d->refs = NULL;
    forest_done(&d->forest, d->room);
    bitrank_done(&d->roots, d->room);
    bitrank_done(&d->many, d->room);
}

static int dominate(void *with)
{
    struct dominating *d = with;
    struct graph *g = d->g;
    int error = take_tables(d);
    if (error == 0)
        error = find_roots(d);
    if (error == 0)
        error = find_referrers(d);
    if (error == 0)
        error = find_many(d);
    if (error == 0)
        error = forest_number(&d->forest, &g->store, &g->d.dom, d->objects);
    if (error == 0)
        error = reduce_dominate(d->refs, &d->forest, &g->d.dom, &d->many);
    done(d);
    if (error == 0)
        error = drop_unreachable(d);
    return error < 0 ? error : sum_retained(d);
}

int graph_dominate(struct graph *g, char ret_why[GRAPH_WHY])
{
    struct dominating d = {.g = g, .room = &g->room, .objects = g->map.count};
    ret_why[0] = '\0';
    if (g->d.is_known)
        return 0;
    g->room.lacked = 0;
    g->store.expected_bytes = d.objects * EXPECTED;
    int error = heaptable_guard(&g->store, dominate, &d);
    done(&d);
    g->facts.memory_peak = g->room.peak;
    if (error == 0)
        return 0;
    graph_dominate_forget(g);
    return graph_index_lacks(g, error, ret_why);
}
