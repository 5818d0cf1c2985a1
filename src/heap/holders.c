/*
 * holders.c - see holders.h.
 *
 * The objects of the set are an open table of 16 bytes a row, at most half full.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/holders.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/splitmix.h"
#include "heap/graph_parts.h"
#include "heap/heaproom.h"

#define WRAPPER (UINT64_C(1) << 63)
#define FOUND (UINT64_C(1) << 62)

/* An object of the set, or one that wraps an object of the set. */
struct member {
    uint64_t key;   /* the object's number + 1, WRAPPER, FOUND; 0: the slot is free */
    uint64_t value; /* the bytes that it wastes; of a wrapper the object that it wraps */
};

struct holders {
    struct graph *graph;
    struct member *members;
    uint64_t mask, used; /* of `members` */
    struct holders_row *rows;
    uint32_t *slots; /* index of a row, plus 1; 0: free */
    uint32_t count, room;
    int error;
    bool is_silent;   /* the object whose references are visited is a wrapper */
    graph_class from; /* the class of that object */
};

static graph_object object_of(const struct member *m)
{
    return (m->key & ~(WRAPPER | FOUND)) - 1;
}

static struct member *find(const struct holders *h, graph_object object)
{
    uint64_t at = splitmix_mix(object);
    while (h->members[at & h->mask].key != 0 && object_of(&h->members[at & h->mask]) != object)
        at++;
    return &h->members[at & h->mask];
}

static void give_members(struct holders *h)
{
    if (h->members)
        heaproom_give(&h->graph->room, h->members, (h->mask + 1) * sizeof(*h->members));
}

static int grow_members(struct holders *h)
{
    struct holders old = *h;
    uint64_t size = h->members ? (h->mask + 1) * 2 : 1024;
    h->members = heaproom_take(&h->graph->room, size * sizeof(*h->members));
    if (!h->members) {
        h->members = old.members;
        return h->error = E_LIMIT;
    }
    h->mask = size - 1;
    for (uint64_t i = 0; old.members && i <= old.mask; i++)
        if (old.members[i].key != 0)
            *find(h, object_of(&old.members[i])) = old.members[i];
    give_members(&old);
    return 0;
}

/* The place of an object, which is made if there is none. NULL: the limit refuses. */
static struct member *member_of(struct holders *h, graph_object object)
{
    if ((!h->members || h->used > h->mask / 2) && grow_members(h) < 0)
        return NULL;
    struct member *m = find(h, object);
    if (m->key == 0) {
        m->key = object + 1;
        h->used++;
    }
    return m;
}

struct holders *holders_new(struct graph *g)
{
    struct holders *h = calloc(1, sizeof(*h));
    if (h)
        h->graph = g;
    return h;
}

void holders_free(struct holders *h)
{
    if (!h)
        return;
    give_members(h);
    free(h->rows);
    free(h->slots);
    free(h);
}

int holders_add(struct holders *h, graph_object object, uint64_t bytes)
{
    struct member *m = member_of(h, object);
    if (!m)
        return E_LIMIT;
    if (!(m->key & WRAPPER)) /* a wrapper counts as what it wraps */
        m->value += bytes;
    return 0;
}

int holders_add_wrapper(struct holders *h, graph_object wrapper, graph_object object)
{
    struct member *m = member_of(h, wrapper);
    if (!m)
        return E_LIMIT;
    m->key |= WRAPPER;
    m->value = object;
    return 0;
}

static uint64_t place(const struct holders_row *key)
{
    return splitmix_mix(((uint64_t)key->klass << 8 | (uint64_t)key->kind) ^
                        splitmix_mix((uint64_t)(uintptr_t)key->name));
}

static uint32_t *slot_of(const struct holders *h, const struct holders_row *key)
{
    uint64_t mask = (uint64_t)h->room * 2 - 1;
    for (uint64_t at = place(key);; at++) {
        uint32_t *slot = &h->slots[at & mask];
        const struct holders_row *r = *slot > 0 ? &h->rows[*slot - 1] : NULL;
        if (!r || (r->klass == key->klass && r->kind == key->kind && r->name == key->name))
            return slot;
    }
}

static bool grow_rows(struct holders *h)
{
    uint32_t room = h->room ? h->room * 2 : 256;
    struct holders_row *rows = realloc(h->rows, room * sizeof(*rows));
    if (rows)
        h->rows = rows;
    uint32_t *slots = rows ? calloc((size_t)room * 2, sizeof(*slots)) : NULL;
    if (!slots) {
        h->error = -ENOMEM;
        return false;
    }
    free(h->slots);
    h->slots = slots;
    h->room = room;
    for (uint32_t i = 0; i < h->count; i++)
        *slot_of(h, &h->rows[i]) = i + 1;
    return true;
}

static bool count_edge(struct holders *h, const struct graph_edge *edge, uint64_t bytes)
{
    struct holders_row key = {
        .kind = edge->kind,
        .klass = edge->kind == GRAPH_EDGE_FIELD || edge->kind == GRAPH_EDGE_STATIC ? edge->klass
                                                                                   : h->from,
        .name = edge->name,
        .sample = edge->from,
    };
    if (h->count == h->room && !grow_rows(h))
        return false;
    uint32_t *slot = slot_of(h, &key);
    if (*slot == 0) {
        h->rows[h->count++] = key;
        *slot = h->count;
    }
    h->rows[*slot - 1].objects++;
    h->rows[*slot - 1].bytes += bytes;
    return true;
}

static bool visit_edge(void *with, const struct graph_edge *edge)
{
    struct holders *h = with;
    struct member *m = find(h, edge->to);
    if (h->is_silent || edge->is_weak)
        return true;
    if (m->key & WRAPPER)
        m = find(h, m->value);
    if (m->key == 0 || m->key & (WRAPPER | FOUND))
        return true;
    m->key |= FOUND;
    return count_edge(h, edge, m->value);
}

static bool visit(void *with, const struct graph_info *object)
{
    struct holders *h = with;
    if (object->kind == GRAPH_PRIMITIVE_ARRAY)
        return true;
    const struct member *own = find(h, object->number);
    h->is_silent = own->key & WRAPPER;
    h->from = object->kind == GRAPH_CLASS ? object->self : object->klass;
    int error = graph_each_edge_of(h->graph, object, visit_edge, h);
    if (error < 0)
        h->error = error;
    return h->error == 0;
}

static int by_bytes(const void *a, const void *b)
{
    const struct holders_row *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    if (x->klass != y->klass)
        return x->klass < y->klass ? -1 : 1;
    return strcmp(x->name, y->name);
}

int holders_find(struct holders *h)
{
    if (h->error < 0 || !h->members)
        return h->error;
    int error = graph_each_object(h->graph, visit, h);
    if (error == 0)
        error = h->error;
    if (error == 0 && h->count > 0)
        qsort(h->rows, h->count, sizeof(*h->rows), by_bytes);
    return error;
}

const struct holders_row *holders_rows(const struct holders *h, uint32_t *ret_count)
{
    *ret_count = h->count;
    return h->rows;
}
