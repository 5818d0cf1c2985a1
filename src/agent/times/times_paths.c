/*
 * times_paths.c - see times_paths.h.
 *
 * A path that is shorter than the window is the whole path of its thread, and its node is found by
 * the node of its caller, of which there is only one. A path as long as the window is found by all
 * its methods, and after that also by the node of its caller, of which there may be several. If a
 * table finds no room to grow, it stays as it is. A path without an edge is then found by its
 * methods each time, or gets no node.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_paths.h"
#include <stdbool.h>
#include <stdlib.h>
#include "agent/times/times_node.h"

enum {
    FEW = 8,       /* so many nodes are found without tables */
    TABLE_MIN = 64 /* first size of a table */
};

void times_paths_begin(struct times_paths *p, struct times_node *root, uint32_t window)
{
    *p = (struct times_paths){.root = root, .newest = root, .window = window};
    *root = (struct times_node){.id = TIMES_ROOT, .last = &times_node_none, .parent = root};
}

/* Whether a table with `count` entries can take one more. */
static bool fits(uint64_t count, uint64_t mask)
{
    return mask != 0 && 4 * (count + 1) <= 3 * (mask + 1);
}

/* A table of twice the old size, or NULL. The caller frees the old one. */
static void *new_table(uint64_t mask, size_t entry_bytes, uint64_t *ret_mask)
{
    uint64_t size = mask ? 2 * (mask + 1) : TABLE_MIN;
    void *table = NULL;
    if (times_node_take_bytes(size * entry_bytes)) {
        table = calloc(size, entry_bytes);
        if (!table)
            times_node_give_bytes(size * entry_bytes);
    }
    *ret_mask = size - 1;
    return table;
}

static void free_table(void *table, uint64_t mask, size_t entry_bytes)
{
    if (table)
        times_node_give_bytes((mask + 1) * entry_bytes);
    free(table);
}

/* ---- edges */

static void put_edge(struct times_edge *edges, uint64_t mask, struct times_edge e)
{
    uint64_t at = times_paths_hash(e.caller, e.callee->id);
    while (edges[at & mask].caller)
        at++;
    edges[at & mask] = e;
}

static int make_room_for_edge(struct times_paths *p)
{
    uint64_t mask = (uint64_t)p->edge_mask, new_mask;
    struct times_edge *edges;
    if (fits(p->edge_count, mask))
        return 1;
    edges = new_table(mask, sizeof(*edges), &new_mask);
    if (!edges)
        return 0;
    for (uint64_t i = 0; p->edges && i <= mask; i++)
        if (p->edges[i].caller)
            put_edge(edges, new_mask, p->edges[i]);
    free_table(p->edges, mask, sizeof(*edges));
    p->edges = edges;
    p->edge_mask = (int64_t)new_mask;
    return 1;
}

static int add_edge(struct times_paths *p, struct times_node *caller, struct times_node *callee)
{
    if (!make_room_for_edge(p))
        return 0;
    put_edge(p->edges, (uint64_t)p->edge_mask, (struct times_edge){caller, callee});
    p->edge_count++;
    return 1;
}

static struct times_node *find_edge(const struct times_paths *p, const struct times_node *caller,
                                    int32_t id)
{
    for (uint64_t at = times_paths_hash(caller, id);; at++) {
        const struct times_edge *e = &p->edges[at & (uint64_t)p->edge_mask];
        if (!e->caller || (e->caller == caller && e->callee->id == id))
            return e->callee;
    }
}

/* ---- paths as long as the window */

static bool is_full(const struct times_paths *p, const struct times_node *caller)
{
    return caller->length >= p->window - 1;
}

static uint64_t full_hash_first(int32_t id)
{
    return (uint64_t)(uint32_t)id;
}

static uint64_t full_hash_next(uint64_t hash, int32_t caller_id)
{
    return (hash ^ (uint64_t)(uint32_t)caller_id) * TIMES_PATHS_HASH_CALLER;
}

static uint64_t full_hash_last(uint64_t hash)
{
    return hash ^ hash >> TIMES_PATHS_HASH_SHIFT;
}

static uint64_t full_hash(const struct times_paths *p, const struct times_node *caller, int32_t id)
{
    uint64_t hash = full_hash_first(id);
    for (uint32_t i = 1; i < p->window; i++, caller = caller->parent)
        hash = full_hash_next(hash, caller->id);
    return full_hash_last(hash);
}

/* Whether two callees have the same callers within the window. */
static int same_callers(const struct times_paths *p, const struct times_node *a,
                        const struct times_node *b)
{
    for (uint32_t i = 1; i < p->window && a != b; i++) {
        if (a->id != b->id)
            return 0;
        a = a->parent;
        b = b->parent;
    }
    return 1;
}

static struct times_node *find_full(const struct times_paths *p, const struct times_node *caller,
                                    int32_t id)
{
    if (!p->fulls)
        return NULL;
    for (uint64_t at = full_hash(p, caller, id);; at++) {
        struct times_node *n = p->fulls[at & p->full_mask];
        if (!n || (n->id == id && same_callers(p, n->parent, caller)))
            return n;
    }
}

static void put_full(const struct times_paths *p, struct times_node **fulls, uint64_t mask,
                     struct times_node *n)
{
    uint64_t at = full_hash(p, n->parent, n->id);
    while (fulls[at & mask])
        at++;
    fulls[at & mask] = n;
}

static int make_room_for_full(struct times_paths *p)
{
    struct times_node **fulls;
    uint64_t mask;
    if (fits(p->full_count, p->full_mask))
        return 1;
    fulls = new_table(p->full_mask, sizeof(struct times_node *), &mask);
    if (!fulls)
        return 0;
    for (uint64_t i = 0; p->fulls && i <= p->full_mask; i++)
        if (p->fulls[i])
            put_full(p, fulls, mask, p->fulls[i]);
    free_table(p->fulls, p->full_mask, sizeof(struct times_node *));
    p->fulls = fulls;
    p->full_mask = mask;
    return 1;
}

/* Whether the callers of a node are these open calls. */
static bool is_open(const struct times_paths *p, const struct times_node *caller,
                    const struct times_call *top)
{
    for (uint32_t i = 1; i < p->window; i++, caller = caller->parent, top--)
        if (caller->id != top->node->id)
            return false;
    return true;
}

struct times_node *times_paths_find_open(const struct times_paths *p, const struct times_call *top,
                                         uint32_t count, int32_t id)
{
    uint64_t hash = full_hash_first(id);
    if (!p->fulls || count < p->window - 1)
        return NULL;
    for (uint32_t i = 1; i < p->window; i++)
        hash = full_hash_next(hash, top[1 - (int64_t)i].node->id);
    for (uint64_t at = full_hash_last(hash);; at++) {
        struct times_node *n = p->fulls[at & p->full_mask];
        if (!n || (n->id == id && is_open(p, n->parent, top)))
            return n;
    }
}

/* ---- both */

/* A thread with few nodes has no tables, only the list of its nodes. */
static struct times_node *find_in_list(const struct times_paths *p, const struct times_node *caller,
                                       int32_t id)
{
    for (struct times_node *n = p->root->next; n; n = n->next)
        if (n->id == id && (n->parent == caller || (is_full(p, n->parent) && is_full(p, caller) &&
                                                    same_callers(p, n->parent, caller))))
            return n;
    return NULL;
}

struct times_node *times_paths_find(const struct times_paths *p, const struct times_node *caller,
                                    int32_t id)
{
    struct times_node *n;
    if (!p->edges)
        return find_in_list(p, caller, id);
    n = find_edge(p, caller, id);
    return n || !is_full(p, caller) ? n : find_full(p, caller, id);
}

/* Make the tables. From then on they hold all nodes. */
static int make_tables(struct times_paths *p)
{
    if (!make_room_for_edge(p))
        return 0;
    for (struct times_node *n = p->root->next; n; n = n->next)
        if (is_full(p, n->parent) && !make_room_for_full(p)) {
            free_table(p->edges, (uint64_t)p->edge_mask, sizeof(*p->edges));
            p->edges = NULL;
            p->edge_mask = 0;
            return 0;
        }
    for (struct times_node *n = p->root->next; n; n = n->next) {
        add_edge(p, n->parent, n);
        if (is_full(p, n->parent)) {
            put_full(p, p->fulls, p->full_mask, n);
            p->full_count++;
        }
    }
    return 1;
}

static int make_room(struct times_paths *p, const struct times_node *caller)
{
    if (p->node_count < FEW)
        return 1;
    if (p->node_count == FEW && !p->edges && !make_tables(p))
        return 0;
    return p->edges && (is_full(p, caller) ? make_room_for_full(p) : make_room_for_edge(p));
}

/* The id is written last: a reader ignores a node without an id. */
static void add_node(struct times_paths *p, struct times_node *n, struct times_node *caller,
                     int32_t id)
{
    n->parent = caller;
    n->last = &times_node_none;
    n->length = caller->length < p->window ? caller->length + 1 : p->window;
    n->thread = 0;
    n->next = NULL;
    p->newest->next = n;
    p->newest = n;
    __atomic_store_n(&n->id, id, __ATOMIC_RELEASE);
    p->node_count++;
    if (!p->edges)
        return;
    add_edge(p, caller, n);
    if (is_full(p, caller)) {
        put_full(p, p->fulls, p->full_mask, n);
        p->full_count++;
    }
}

struct times_node *times_paths_callee(struct times_paths *p, struct times_node *caller, int32_t id)
{
    struct times_node *n = times_paths_find(p, caller, id);
    if (n && p->edges && !find_edge(p, caller, id))
        add_edge(p, caller, n);
    if (n || !make_room(p, caller))
        return n;
    n = times_node_take(&p->stock);
    if (!n)
        return NULL;
    n->count = n->time = n->made = 0;
    add_node(p, n, caller, id);
    return n;
}

int times_paths_adopt(struct times_paths *p, struct times_node *n, struct times_node *caller)
{
    if (!make_room(p, caller))
        return 0;
    add_node(p, n, caller, n->id);
    return 1;
}

void times_paths_end(struct times_paths *p)
{
    free_table(p->edges, (uint64_t)p->edge_mask, sizeof(*p->edges));
    free_table(p->fulls, p->full_mask, sizeof(struct times_node *));
    times_node_give(p->stock);
    *p = (struct times_paths){0};
}

/* ---- joining the paths of two threads */

/* Add the calls of `n` to the node `to`. */
static void add_to(struct times_node_view v, struct times_node *to, const struct times_node *n)
{
    uint32_t at = times_node_index(v, to), from = times_node_index(v, n);
    for (int place = 0; place < TIMES_NODE_PLACES; place++) {
        if (!times_node_has_joined(place))
            continue;
        struct times_node_base *base = times_node_base_at(v, place, at);
        const struct times_node_base *old = times_node_base_at(v, place, from);

        if (old->count || old->time || old->made) {
            base->count += old->count;
            base->time += old->time;
            base->made += old->made;
        }
    }
    times_node_add(to, n->count, n->time, n->made);
    times_node_add_spread(to, times_node_spread(n));
}

/* During the merge the field `last` of a node points to the node that it was added to. */
struct times_node *times_paths_merge(struct times_paths *dead, struct times_paths *from)
{
    struct times_node *free_ones = NULL, *next, *newest = dead->newest;
    struct times_node_view v = times_node_view();
    from->root->last = dead->root;
    for (struct times_node *n = from->root->next; n; n = next) {
        struct times_node *caller = n->parent->last, *to = NULL;
        next = n->next;
        if (!times_node_is_shared(caller)) {
            to = times_paths_find(dead, caller, n->id);
            if (!to && times_paths_adopt(dead, n, caller)) {
                n->last = n;
                continue;
            }
        }
        if (!to)
            to = times_node_of_method(n->id);
        if (to)
            add_to(v, to, n);
        n->last = to ? to : &times_node_none;
        n->next = free_ones;
        free_ones = n;
    }
    for (struct times_node *n = newest->next; n; n = n->next)
        n->last = &times_node_none;
    return free_ones;
}
