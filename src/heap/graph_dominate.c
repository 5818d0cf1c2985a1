/*
 * graph_dominate.c - the dominators and retained sizes of all objects.
 *
 * The steps, with what they keep for each object: one pass over the file finds the only referrer of
 * each object (4 bytes) and its shallow size (1 byte); the trees that these referrers make are
 * numbered (4 bytes); a second pass stores what refers to objects with several referrers, and the
 * small graph of these is solved (reduce.h); then sizes are summed from the leaves up (4 bytes, and
 * 1 for the number of children that are still to come).
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include "base/err.h"
#include "heap/graph.h"
#include "heap/forest.h"
#include "heap/heaprefs.h"
#include "heap/reduce.h"

enum {
    SMALL = 255,    /* units of a shallow size that does not fit into the byte */
    CHILDREN = 254, /* children that do not fit into the byte */
    DONE = 255,     /* instead of the children: summed up */
    UNIT = GRAPH_RETAINED_UNIT,
};

/* The shallow size of an object that is large. */
struct large {
    uint64_t units;
    heapnode object;
};

/* The number of children of an object with many. */
struct crowd {
    uint64_t children;
    heapnode object;
};

struct dominating {
    struct graph *g;
    struct heaproom *room;
    uint64_t objects;
    struct bitrank roots;
    struct heaprefs *refs;
    uint8_t *shallow;           /* units, or SMALL */
    struct heaproom_list large; /* struct large */
    struct forest forest;
};

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
    uint64_t units = heaprefs_shallow(d->refs) / UNIT;
    heapnode object = d->refs->owner;
    if (d->shallow[object] != 0)
        return 0; /* a second record of the object */
    d->g->facts.bytes += units * UNIT;
    if (units < SMALL) {
        d->shallow[object] = (uint8_t)units;
        return 0;
    }
    struct large *row = heaproom_list_add(&d->large, d->room, sizeof(*row));
    if (!row)
        return E_LIMIT;
    *row = (struct large){.units = units, .object = object};
    d->shallow[object] = SMALL;
    return 0;
}

/* The first pass: the only referrer of each object. */
static int find_referrers(struct dominating *d)
{
    heapnode *only = d->g->dom;
    for (uint64_t i = 0; i < d->objects; i++)
        only[i] = bitrank_has(&d->roots, i) ? HEAPNODE_ROOT : HEAPNODE_NONE;
    d->g->facts.bytes = 0;
    heaprefs_begin(d->refs, d->g, &d->roots);
    while (heaprefs_next(d->refs)) {
        if (d->refs->is_new && take_shallow(d) < 0)
            return E_LIMIT;
        for (uint32_t i = 0; i < d->refs->count; i++) {
            heapnode *to = &only[d->refs->to[i]];
            if (*to == HEAPNODE_NONE)
                *to = d->refs->owner;
            else if (*to != d->refs->owner)
                *to = HEAPNODE_MANY;
        }
    }
    return d->refs->error;
}

/* Sets the dominator of each object that no root reaches to HEAPNODE_NONE. */
static int drop_unreachable(struct dominating *d)
{
    heapnode *dom = d->g->dom;
    struct bitrank reached, lost;
    int error = bitrank_init(&reached, d->room, d->objects);
    if (bitrank_init(&lost, d->room, d->objects) < 0)
        error = E_LIMIT;
    for (uint64_t i = 0; error == 0 && i < d->objects; i++) {
        heapnode at = (heapnode)i;
        while (dom[at] < HEAPNODE_MAX && !bitrank_has(&reached, at) && !bitrank_has(&lost, at))
            at = dom[at];
        bool is_lost = bitrank_has(&lost, at) || dom[at] == HEAPNODE_NONE;
        struct bitrank *to = is_lost ? &lost : &reached;
        for (at = (heapnode)i; dom[at] < HEAPNODE_MAX && !bitrank_has(to, at); at = dom[at])
            bitrank_add(to, at);
    }
    for (uint64_t i = 0; error == 0 && i < d->objects; i++)
        if (bitrank_has(&lost, i))
            dom[i] = HEAPNODE_NONE;
    bitrank_done(&reached, d->room);
    bitrank_done(&lost, d->room);
    return error;
}

/* Whether all sums fit into 32 bits. */
static int make_retained(struct dominating *d)
{
    struct graph_retained *r = &d->g->retained;
    const struct large *large = (const void *)d->large.at;
    bool is_wide = d->g->facts.bytes / UNIT > UINT32_MAX;
    uint64_t bytes = d->objects * (is_wide ? sizeof(*r->wide) : sizeof(*r->narrow));
    void *at = heaproom_take(d->room, bytes);
    if (!at)
        return E_LIMIT;
    r->wide = is_wide ? at : NULL;
    r->narrow = is_wide ? NULL : at;
    for (uint64_t i = 0; i < d->objects; i++) {
        if (is_wide)
            r->wide[i] = (uint64_t)d->shallow[i] * UNIT;
        else
            r->narrow[i] = d->shallow[i];
    }
    for (uint64_t i = 0; i < d->large.count; i++) {
        if (is_wide)
            r->wide[large[i].object] = large[i].units * UNIT;
        else
            r->narrow[large[i].object] = (uint32_t)large[i].units;
    }
    return 0;
}

/* The children of each object that are not summed yet. */
struct summing {
    const heapnode *dom;
    uint8_t *children;            /* or CHILDREN, or DONE */
    struct heaproom_list crowded; /* struct crowd, sorted by object */
    struct graph_retained *retained;
};

static struct crowd *crowd_of(const struct summing *s, heapnode object)
{
    struct crowd *rows = (void *)s->crowded.at;
    uint64_t low = 0, high = s->crowded.count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (rows[middle].object < object)
            low = middle + 1;
        else
            high = middle;
    }
    return &rows[low];
}

static int count_children(struct summing *s, struct dominating *d)
{
    for (uint64_t i = 0; i < d->objects; i++)
        if (s->dom[i] < HEAPNODE_MAX && s->children[s->dom[i]] < CHILDREN)
            s->children[s->dom[i]]++;
    for (uint64_t i = 0; i < d->objects; i++) {
        if (s->children[i] != CHILDREN)
            continue;
        struct crowd *row = heaproom_list_add(&s->crowded, d->room, sizeof(*row));
        if (!row)
            return E_LIMIT;
        *row = (struct crowd){.object = (heapnode)i};
    }
    for (uint64_t i = 0; s->crowded.count > 0 && i < d->objects; i++)
        if (s->dom[i] < HEAPNODE_MAX && s->children[s->dom[i]] == CHILDREN)
            crowd_of(s, s->dom[i])->children++;
    return 0;
}

/* Takes one child off. Returns whether it was the last one. */
static bool is_last_child(struct summing *s, heapnode parent)
{
    if (s->children[parent] == CHILDREN)
        return --crowd_of(s, parent)->children == 0;
    return --s->children[parent] == 0;
}

/* Adds the sum of a leaf to its parent, and goes on up while the parent has no other child. */
static void sum_up_from(struct summing *s, heapnode at)
{
    struct graph_retained *r = s->retained;
    for (;;) {
        heapnode parent = s->dom[at];
        s->children[at] = DONE;
        if (parent >= HEAPNODE_MAX)
            return;
        if (r->wide)
            r->wide[parent] += r->wide[at];
        else
            r->narrow[parent] += r->narrow[at];
        if (!is_last_child(s, parent))
            return;
        at = parent;
    }
}

static void forget_retained(struct graph_retained *r, uint64_t object)
{
    if (r->wide)
        r->wide[object] = 0;
    else
        r->narrow[object] = 0;
}

static int sum_retained(struct dominating *d)
{
    struct graph *g = d->g;
    struct summing s = {.dom = g->dom, .retained = &g->retained};
    s.children = heaproom_take(d->room, d->objects);
    int error = s.children ? count_children(&s, d) : E_LIMIT;
    for (uint64_t i = 0; error == 0 && i < d->objects; i++)
        if (s.children[i] == 0)
            sum_up_from(&s, (heapnode)i);
    heaproom_give(d->room, s.children, d->objects);
    heaproom_list_done(&s.crowded, d->room);
    g->facts.reachable = g->facts.reachable_bytes = 0;
    for (uint64_t i = 0; error == 0 && i < d->objects; i++) {
        g->facts.reachable += g->dom[i] != HEAPNODE_NONE;
        if (g->dom[i] == HEAPNODE_ROOT)
            g->facts.reachable_bytes += graph_retained(g, i);
        else if (g->dom[i] == HEAPNODE_NONE)
            forget_retained(&g->retained, i);
    }
    return error;
}

static int dominate(struct dominating *d)
{
    struct graph *g = d->g;
    d->refs = heaproom_take(d->room, sizeof(*d->refs));
    d->shallow = heaproom_take(d->room, d->objects);
    g->dom = heaproom_take(d->room, d->objects * sizeof(*g->dom));
    if (!d->refs || !d->shallow || !g->dom || find_roots(d) < 0)
        return E_LIMIT;
    int error = find_referrers(d);
    if (error == 0)
        error = forest_number(&d->forest, d->room, g->dom, d->objects);
    if (error == 0)
        error = reduce_dominate(d->refs, &d->forest, g->dom);
    forest_done(&d->forest, d->room, d->objects);
    bitrank_done(&d->roots, d->room);
    if (error == 0)
        error = drop_unreachable(d);
    if (error == 0)
        error = make_retained(d);
    heaproom_give(d->room, d->shallow, d->objects);
    d->shallow = NULL;
    heaproom_list_done(&d->large, d->room);
    return error < 0 ? error : sum_retained(d);
}

int graph_dominate(struct graph *g, char ret_why[GRAPH_WHY])
{
    struct dominating d = {.g = g, .room = &g->room, .objects = g->map.count};
    ret_why[0] = '\0';
    if (g->dom)
        return 0;
    g->room.lacked = 0;
    int error = dominate(&d);
    heaproom_give(d.room, d.refs, sizeof(*d.refs));
    heaproom_give(d.room, d.shallow, d.objects);
    heaproom_list_done(&d.large, d.room);
    forest_done(&d.forest, d.room, d.objects);
    bitrank_done(&d.roots, d.room);
    g->facts.memory_peak = g->room.peak;
    if (error == 0)
        return 0;
    heaproom_give(d.room, g->dom, d.objects * sizeof(*g->dom));
    g->dom = NULL;
    if (error == E_LIMIT)
        return graph_index_lacks(g, ret_why);
    snprintf(ret_why, GRAPH_WHY, "%s", err_text(error));
    return error;
}
