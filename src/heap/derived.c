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
    struct heaproom *room;
    struct derived_arc *arcs;
    uint64_t arc_count, nodes;
    struct bitrank marks; /* the objects that are nodes */
    heapnode *object;     /* by node */
    bool *is_entry;       /* by node */
    uint64_t *first;      /* by node + 1: where its row of `at` begins */
    heapnode *at;         /* the other ends of arcs: first those behind, then those in front */
    heapnode *order;      /* by node: its number, from 1; 0: not reached */
    heapnode *node;       /* by number, as all tables below */
    heapnode *parent;     /* in the tree of the search */
    heapnode *semi, *dom;
    heapnode *best; /* on the compressed path upwards, the node with the least semi */
    heapnode *up;   /* the forest of linked nodes; HEAPNODE_NONE: not linked */
    heapnode *bucket,
        *next; /* the first node with this semidominator; the next one with the same */
    heapnode count;
};

enum { TABLES = 9 };

/* The tables that have a row for each node. */
static void tables_of(struct proof *p, heapnode **ret_tables[TABLES])
{
    heapnode **tables[TABLES] = {&p->order, &p->node, &p->parent, &p->semi, &p->dom,
                                 &p->best,  &p->up,   &p->bucket, &p->next};
    for (int i = 0; i < TABLES; i++)
        ret_tables[i] = tables[i];
}

static int take_nodes(struct proof *p, const struct bitrank *entries, uint64_t objects)
{
    if (bitrank_init(&p->marks, p->room, objects) < 0)
        return E_LIMIT;
    for (uint64_t i = 0; i < p->arc_count; i++) {
        bitrank_add(&p->marks, p->arcs[i].from);
        bitrank_add(&p->marks, p->arcs[i].to);
    }
    int64_t count = bitrank_seal(&p->marks, p->room);
    if (count < 0)
        return E_LIMIT;
    p->nodes = (uint64_t)count;
    uint64_t rows = p->nodes + 2;
    p->object = heaproom_take(p->room, rows * sizeof(*p->object));
    p->is_entry = heaproom_take(p->room, rows * sizeof(*p->is_entry));
    p->first = heaproom_take(p->room, rows * sizeof(*p->first));
    p->at = heaproom_take(p->room, p->arc_count * sizeof(*p->at));
    if (!p->object || !p->is_entry || !p->first || !p->at)
        return E_LIMIT;
    heapnode **tables[TABLES];
    tables_of(p, tables);
    for (int i = 0; i < TABLES; i++)
        if (!(*tables[i] = heaproom_take(p->room, rows * sizeof(heapnode))))
            return E_LIMIT;
    for (uint64_t i = 0, n = 0; i < objects; i++) {
        if (!bitrank_has(&p->marks, i))
            continue;
        p->is_entry[n] = bitrank_has(entries, i);
        p->object[n++] = (heapnode)i;
    }
    for (uint64_t i = 0; i < p->arc_count; i++) {
        p->arcs[i].from = bitrank_below(&p->marks, p->arcs[i].from);
        p->arcs[i].to = bitrank_below(&p->marks, p->arcs[i].to);
    }
    return 0;
}

/* Sorts the arcs by one end, and keeps the other. */
static void sort_arcs(struct proof *p, bool by_end)
{
    for (uint64_t i = 0; i < p->nodes + 2; i++)
        p->first[i] = 0;
    for (uint64_t i = 0; i < p->arc_count; i++)
        p->first[(uint64_t)(by_end ? p->arcs[i].to : p->arcs[i].from) + 1]++;
    for (uint64_t i = 1; i < p->nodes + 2; i++)
        p->first[i] += p->first[i - 1];
    /* From the back, so that each row begins where it should when it is full. */
    for (uint64_t i = p->arc_count; i-- > 0;) {
        heapnode key = by_end ? p->arcs[i].to : p->arcs[i].from;
        p->at[--p->first[(uint64_t)key + 1]] = by_end ? p->arcs[i].from : p->arcs[i].to;
    }
    for (uint64_t i = 0; i <= p->nodes; i++)
        p->first[i] = p->first[i + 1];
    p->first[p->nodes] = p->arc_count;
}

static void reach(struct proof *p, heapnode node, heapnode parent, uint64_t *cursor)
{
    p->order[node] = ++p->count;
    p->node[p->count] = node;
    p->parent[p->count] = parent;
    cursor[p->count] = p->first[node];
}

static int search(struct proof *p)
{
    uint64_t *cursor = heaproom_take(p->room, (p->nodes + 1) * sizeof(*cursor));
    if (!cursor)
        return E_LIMIT;
    sort_arcs(p, false);
    for (uint64_t i = 0; i < p->nodes; i++) {
        if (!p->is_entry[i] || p->order[i] != 0)
            continue;
        reach(p, (heapnode)i, 0, cursor);
        for (heapnode at = p->count; at != 0;) {
            if (cursor[at] == p->first[p->node[at] + 1]) {
                at = p->parent[at];
                continue;
            }
            heapnode to = p->at[cursor[at]++];
            if (p->order[to] != 0)
                continue;
            reach(p, to, at, cursor);
            at = p->count;
        }
    }
    heaproom_give(p->room, cursor, (p->nodes + 1) * sizeof(*cursor));
    return 0;
}

/* The node with the least semidominator on the way up from `v` to the end of its linked path. The
 * path is turned around while it is followed, so that it needs no stack. */
static heapnode find_best(struct proof *p, heapnode v)
{
    heapnode below = HEAPNODE_NONE, at = v;
    if (p->up[v] == HEAPNODE_NONE)
        return v;
    while (p->up[p->up[at]] != HEAPNODE_NONE) {
        heapnode above = p->up[at];
        p->up[at] = below;
        below = at;
        at = above;
    }
    heapnode top = p->up[at], best = p->best[at];
    while (below != HEAPNODE_NONE) {
        heapnode next = p->up[below];
        if (p->semi[p->best[below]] > p->semi[best])
            p->best[below] = best;
        best = p->best[below];
        p->up[below] = top;
        below = next;
    }
    return p->best[v];
}

/* Takes the nodes whose semidominator is `parent`: their path upwards is whole now. */
static void empty_bucket(struct proof *p, heapnode parent)
{
    for (heapnode v = p->bucket[parent]; v != 0; v = p->next[v]) {
        heapnode best = find_best(p, v);
        p->dom[v] = p->semi[best] < p->semi[v] ? best : parent;
    }
    p->bucket[parent] = 0;
}

static void find_dominators(struct proof *p)
{
    sort_arcs(p, true);
    for (heapnode i = 0; i <= p->count; i++) {
        p->semi[i] = p->best[i] = i;
        p->up[i] = HEAPNODE_NONE;
    }
    for (heapnode w = p->count; w > 0; w--) {
        heapnode node = p->node[w], semi = p->is_entry[node] ? 0 : p->parent[w];
        for (uint64_t i = p->first[node]; i < p->first[node + 1]; i++) {
            heapnode from = p->order[p->at[i]];
            heapnode found = from == 0 ? semi : p->semi[find_best(p, from)];
            semi = found < semi ? found : semi;
        }
        p->semi[w] = semi;
        p->next[w] = p->bucket[semi];
        p->bucket[semi] = w;
        p->up[w] = p->parent[w];
        empty_bucket(p, p->parent[w]);
    }
    p->dom[0] = 0;
    for (heapnode w = 1; w <= p->count; w++)
        if (p->dom[w] != p->semi[w])
            p->dom[w] = p->dom[p->dom[w]];
}

static int judge(const struct proof *p, heapnode *ret_object)
{
    for (uint64_t i = 0; i < p->nodes; i++) {
        if (p->order[i] != 0 && p->dom[p->order[i]] == 0)
            continue;
        *ret_object = p->object[i];
        return 1;
    }
    return 0;
}

int derived_prove(struct heaproom *room, struct heaproom_list *arcs, const struct bitrank *entries,
                  uint64_t objects, heapnode *ret_object)
{
    struct proof p = {.room = room, .arcs = (void *)arcs->at, .arc_count = arcs->count};
    int error = take_nodes(&p, entries, objects);
    if (error == 0)
        error = search(&p);
    if (error == 0) {
        find_dominators(&p);
        error = judge(&p, ret_object);
    }
    uint64_t rows = p.nodes + 2;
    heapnode **tables[TABLES];
    tables_of(&p, tables);
    for (int i = 0; i < TABLES; i++)
        heaproom_give(room, *tables[i], rows * sizeof(heapnode));
    heaproom_give(room, p.object, rows * sizeof(*p.object));
    heaproom_give(room, p.is_entry, rows * sizeof(*p.is_entry));
    heaproom_give(room, p.first, rows * sizeof(*p.first));
    heaproom_give(room, p.at, p.arc_count * sizeof(*p.at));
    bitrank_done(&p.marks, room);
    return error;
}
