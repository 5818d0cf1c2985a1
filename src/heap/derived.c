/*
 * derived.c - proves that a graph is flat.
 *
 * Nodes are numbered in the order of a depth-first search from the entries; 0 is the beginning.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/derived.h"
#include <stdbool.h>
#include "base/err.h"

struct proof {
    struct heaptable_store *store;
    struct heaptable *arcs;
    uint64_t arc_count, nodes;
    const struct bitrank *entries;
    struct bitrank marks;    /* the objects that are nodes */
    struct heaptable object; /* by node */
    struct heaptable first;  /* by node: where its row of `at` begins */
    struct heaptable at;     /* the other ends of arcs: first those behind, then those in front */
    struct heaptable order;  /* by node: its number, from 1; 0: not reached */
    struct heaptable cursor; /* by node: the next arc to follow */
    struct heaptable node;   /* by number, as all tables below */
    struct heaptable parent; /* in the tree of the search */
    struct heaptable semi, dom;
    struct heaptable best; /* on the compressed path upwards, the node with the least semi */
    struct heaptable up;   /* the forest of linked nodes; HEAPNODE_NONE: not linked */
    struct heaptable bucket,
        next; /* the first node with this semidominator; the next one with the same */
    heapnode count;
};

enum { TABLES = 12 };

/* The tables that have a row for each node. */
static void tables_of(struct proof *p, struct heaptable *ret_tables[TABLES])
{
    struct heaptable *tables[TABLES] = {&p->object, &p->first,  &p->order,  &p->cursor,
                                        &p->node,   &p->parent, &p->semi,   &p->dom,
                                        &p->best,   &p->up,     &p->bucket, &p->next};
    for (int i = 0; i < TABLES; i++)
        ret_tables[i] = tables[i];
}

static int take_nodes(struct proof *p, uint64_t objects)
{
    if (bitrank_init(&p->marks, p->store->room, objects) < 0)
        return E_LIMIT;
    for (uint64_t i = 0; i < p->arcs->rows; i++)
        bitrank_add(&p->marks, heaptable_node(p->arcs, i));
    int64_t count = bitrank_seal(&p->marks, p->store->room);
    if (count < 0 || p->arc_count > HEAPNODE_MAX)
        return E_LIMIT;
    p->nodes = (uint64_t)count;
    int error = heaptable_init(&p->at, p->store, p->arc_count, sizeof(heapnode));
    struct heaptable *tables[TABLES];
    tables_of(p, tables);
    for (int i = 0; i < TABLES && error == 0; i++)
        error = heaptable_init(tables[i], p->store, p->nodes + 2, sizeof(heapnode));
    for (uint64_t i = 0, n = 0; error == 0 && i < objects; i++)
        if (bitrank_has(&p->marks, i))
            heaptable_put(&p->object, n++, (heapnode)i);
    for (uint64_t i = 0; error == 0 && i < p->arcs->rows; i++)
        heaptable_put(p->arcs, i, bitrank_below(&p->marks, heaptable_node(p->arcs, i)));
    return error;
}

static bool is_entry(const struct proof *p, uint64_t node)
{
    return bitrank_has(p->entries, heaptable_node(&p->object, node));
}

/* Sorts the arcs by one end, and keeps the other. */
static void sort_arcs(struct proof *p, bool by_end)
{
    struct heaptable *first = &p->first;
    for (uint64_t i = 0; i < p->nodes + 2; i++)
        heaptable_put(first, i, 0);
    for (uint64_t i = by_end; i < p->arcs->rows; i += 2) {
        uint64_t row = (uint64_t)heaptable_node(p->arcs, i) + 1;
        heaptable_put(first, row, heaptable_node(first, row) + 1);
    }
    for (uint64_t i = 1; i < p->nodes + 2; i++)
        heaptable_put(first, i, heaptable_node(first, i) + heaptable_node(first, i - 1));
    /* From the back, so that each row begins where it should when it is full. */
    for (uint64_t i = p->arcs->rows; i > 0; i -= 2) {
        uint64_t row = (uint64_t)heaptable_node(p->arcs, i - 2 + by_end) + 1;
        heapnode place = heaptable_node(first, row) - 1;
        heaptable_put(&p->at, place, heaptable_node(p->arcs, i - 1 - by_end));
        heaptable_put(first, row, place);
    }
    for (uint64_t i = 0; i <= p->nodes; i++)
        heaptable_put(first, i, heaptable_node(first, i + 1));
    heaptable_put(first, p->nodes, (heapnode)p->arc_count);
}

static void reach(struct proof *p, heapnode node, heapnode parent)
{
    p->count++;
    heaptable_put(&p->order, node, p->count);
    heaptable_put(&p->node, p->count, node);
    heaptable_put(&p->parent, p->count, parent);
    heaptable_put(&p->cursor, node, heaptable_node(&p->first, node));
}

static void search(struct proof *p)
{
    sort_arcs(p, false);
    for (uint64_t i = 0; i < p->nodes; i++) {
        if (!is_entry(p, i) || heaptable_node(&p->order, i) != 0)
            continue;
        reach(p, (heapnode)i, 0);
        for (heapnode at = p->count; at != 0;) {
            heapnode node = heaptable_node(&p->node, at), arc = heaptable_node(&p->cursor, node);
            if (arc == heaptable_node(&p->first, (uint64_t)node + 1)) {
                at = heaptable_node(&p->parent, at);
                continue;
            }
            heapnode to = heaptable_node(&p->at, arc);
            heaptable_put(&p->cursor, node, arc + 1);
            if (heaptable_node(&p->order, to) != 0)
                continue;
            reach(p, to, at);
            at = p->count;
        }
    }
}

static heapnode semi_of_best(const struct proof *p, heapnode n)
{
    return heaptable_node(&p->semi, heaptable_node(&p->best, n));
}

/* The node with the least semidominator on the way up from `v` to the end of its linked path. The
 * path is turned around while it is followed, so that it needs no stack. */
static heapnode find_best(struct proof *p, heapnode v)
{
    heapnode below = HEAPNODE_NONE, at = v, above = heaptable_node(&p->up, v);
    if (above == HEAPNODE_NONE)
        return v;
    while (heaptable_node(&p->up, above) != HEAPNODE_NONE) {
        heaptable_put(&p->up, at, below);
        below = at;
        at = above;
        above = heaptable_node(&p->up, at);
    }
    heapnode best = heaptable_node(&p->best, at);
    while (below != HEAPNODE_NONE) {
        heapnode next = heaptable_node(&p->up, below);
        if (semi_of_best(p, below) > heaptable_node(&p->semi, best))
            heaptable_put(&p->best, below, best);
        best = heaptable_node(&p->best, below);
        heaptable_put(&p->up, below, above);
        below = next;
    }
    return heaptable_node(&p->best, v);
}

/* Takes the nodes whose semidominator is `parent`: their path upwards is whole now. */
static void empty_bucket(struct proof *p, heapnode parent)
{
    heapnode v = heaptable_node(&p->bucket, parent);
    for (; v != 0; v = heaptable_node(&p->next, v)) {
        heapnode best = find_best(p, v);
        bool is_lower = heaptable_node(&p->semi, best) < heaptable_node(&p->semi, v);
        heaptable_put(&p->dom, v, is_lower ? best : parent);
    }
    heaptable_put(&p->bucket, parent, 0);
}

/* The semidominator of the node with the number `w`. */
static heapnode semi_of(struct proof *p, heapnode w)
{
    heapnode node = heaptable_node(&p->node, w);
    heapnode semi = is_entry(p, node) ? 0 : heaptable_node(&p->parent, w);
    heapnode end = heaptable_node(&p->first, (uint64_t)node + 1);
    for (heapnode i = heaptable_node(&p->first, node); i < end; i++) {
        heapnode from = heaptable_node(&p->order, heaptable_node(&p->at, i));
        heapnode found = from == 0 ? semi : heaptable_node(&p->semi, find_best(p, from));
        semi = found < semi ? found : semi;
    }
    return semi;
}

static void find_dominators(struct proof *p)
{
    sort_arcs(p, true);
    for (heapnode i = 0; i <= p->count; i++) {
        heaptable_put(&p->semi, i, i);
        heaptable_put(&p->best, i, i);
        heaptable_put(&p->up, i, HEAPNODE_NONE);
    }
    for (heapnode w = p->count; w > 0; w--) {
        heapnode semi = semi_of(p, w), parent = heaptable_node(&p->parent, w);
        heaptable_put(&p->semi, w, semi);
        heaptable_put(&p->next, w, heaptable_node(&p->bucket, semi));
        heaptable_put(&p->bucket, semi, w);
        heaptable_put(&p->up, w, parent);
        empty_bucket(p, parent);
    }
    heaptable_put(&p->dom, 0, 0);
    for (heapnode w = 1; w <= p->count; w++) {
        heapnode dom = heaptable_node(&p->dom, w);
        if (dom != heaptable_node(&p->semi, w))
            heaptable_put(&p->dom, w, heaptable_node(&p->dom, dom));
    }
}

static int judge(const struct proof *p, heapnode *ret_object)
{
    for (uint64_t i = 0; i < p->nodes; i++) {
        heapnode order = heaptable_node(&p->order, i);
        if (order != 0 && heaptable_node(&p->dom, order) == 0)
            continue;
        *ret_object = heaptable_node(&p->object, i);
        return 1;
    }
    return 0;
}

int derived_prove(struct heaptable_store *store, struct heaptable *arcs,
                  const struct bitrank *entries, uint64_t objects, heapnode *ret_object)
{
    struct proof p = {
        .store = store, .arcs = arcs, .arc_count = arcs->rows / 2, .entries = entries};
    int error = take_nodes(&p, objects);
    if (error == 0) {
        search(&p);
        find_dominators(&p);
        error = judge(&p, ret_object);
    }
    struct heaptable *tables[TABLES];
    tables_of(&p, tables);
    for (int i = 0; i < TABLES; i++)
        heaptable_done(tables[i]);
    heaptable_done(&p.at);
    heaptable_done(arcs);
    bitrank_done(&p.marks, store->room);
    return error;
}
