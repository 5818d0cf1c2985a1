/*
 * times_node.c - see times_node.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_node.h"
#include <errno.h>
#include <stdbool.h>
#include "base/lock.h"
#include "base/pages.h"

enum {
    STOCK = 16, /* nodes that a thread takes at a time */
    NODE_BYTES =
        sizeof(struct times_node) + sizeof(struct times_spread) + sizeof(struct times_node_base),
    NODES_PART = 2, /* nodes get one half of the room, tables the other */
};

static struct {
    struct lock lock;
    struct times_node *nodes; /* the arena; behind it the node for the calibration */
    uint32_t capacity, used;
    struct times_node *free;
    uint32_t free_count;
    size_t bytes_left; /* for tables */
    struct times_node *methods;
    uint32_t method_capacity, method_count;
    struct {
        struct times_spread *paths, *methods;
    } spreads;
    struct {
        struct times_node_base *paths, *methods; /* NULL: no recording has joined at this place */
    } bases[TIMES_NODE_PLACES];
} room = {.lock = LOCK_INIT(NODES)};

struct times_node times_node_none = {.id = TIMES_NONE, .last = &times_node_none};

int times_node_init(size_t bytes, uint32_t methods)
{
    uint64_t capacity = bytes / NODES_PART / NODE_BYTES;
    room.capacity = capacity < UINT32_MAX / 2 ? (uint32_t)capacity : UINT32_MAX / 2;
    room.bytes_left = bytes - bytes / NODES_PART;
    room.method_capacity = methods;
    room.nodes = pages_map(((size_t)room.capacity + 1) * sizeof(*room.nodes));
    room.methods = pages_map((size_t)methods * sizeof(*room.methods));
    room.spreads.paths = pages_map(((size_t)room.capacity + 1) * sizeof(*room.spreads.paths));
    room.spreads.methods = pages_map((size_t)methods * sizeof(*room.spreads.methods));
    if (!room.nodes || !room.methods || !room.spreads.paths || !room.spreads.methods)
        return -ENOMEM;
    room.nodes[room.capacity] = (struct times_node){
        .id = TIMES_PROBE, .last = &times_node_none, .parent = &room.nodes[room.capacity]};
    return 0;
}

struct times_node *times_node_probe(void)
{
    return &room.nodes[room.capacity];
}

static void unmap_bases(int place)
{
    pages_unmap(room.bases[place].paths, (size_t)room.capacity * sizeof(struct times_node_base));
    pages_unmap(room.bases[place].methods,
                (size_t)room.method_capacity * sizeof(struct times_node_base));
    room.bases[place].paths = room.bases[place].methods = NULL;
}

int times_node_join(int place)
{
    int error = 0;
    lock_take(&room.lock);
    room.bases[place].paths = pages_map((size_t)room.capacity * sizeof(struct times_node_base));
    room.bases[place].methods =
        pages_map((size_t)room.method_capacity * sizeof(struct times_node_base));
    if (!room.bases[place].paths || !room.bases[place].methods) {
        unmap_bases(place);
        error = -ENOMEM;
    }
    lock_give(&room.lock);
    return error;
}

void times_node_part(int place)
{
    lock_take(&room.lock);
    unmap_bases(place);
    lock_give(&room.lock);
}

bool times_node_has_joined(int place)
{
    return room.bases[place].paths != NULL;
}

/* Needs the lock. */
static struct times_node *take(void)
{
    struct times_node *n = room.free;
    if (n) {
        room.free = n->next;
        room.free_count--;
    } else if (room.used < room.capacity) {
        n = &room.nodes[room.used++];
        n->id = TIMES_FREE;
    }
    return n;
}

struct times_node *times_node_take(struct times_node **stock)
{
    struct times_node *n = *stock;
    if (!n) {
        lock_take(&room.lock);
        for (int i = 0; i < STOCK && (n = take()) != NULL; i++) {
            n->next = *stock;
            *stock = n;
        }
        lock_give(&room.lock);
        n = *stock;
    }
    if (n)
        *stock = n->next;
    return n;
}

bool times_node_has_room(struct times_node *const *stock)
{
    bool has_room = *stock != NULL;
    if (!has_room) {
        lock_take(&room.lock);
        has_room = room.free || room.used < room.capacity;
        lock_give(&room.lock);
    }
    return has_room;
}

/* A page that was never written is not written here either. */
static void forget_spread(struct times_spread *s)
{
    if (s->total || s->most || s->shortest)
        *s = (struct times_spread){0};
}

static void forget_bases(const struct times_node *n)
{
    for (int place = 0; place < TIMES_NODE_PLACES; place++) {
        struct times_node_base *bases = room.bases[place].paths, *base = bases + (n - room.nodes);
        if (bases && (base->count || base->time || base->made))
            *base = (struct times_node_base){0};
    }
}

void times_node_give(struct times_node *list)
{
    lock_take(&room.lock);
    for (struct times_node *n = list, *next; n; n = next) {
        next = n->next;
        forget_bases(n);
        forget_spread(times_node_spread(n));
        __atomic_store_n(&n->id, TIMES_FREE, __ATOMIC_RELEASE);
        n->next = room.free;
        room.free = n;
        room.free_count++;
    }
    lock_give(&room.lock);
}

int times_node_take_bytes(size_t bytes)
{
    bool has_room;
    lock_take(&room.lock);
    has_room = bytes <= room.bytes_left;
    if (has_room)
        room.bytes_left -= bytes;
    lock_give(&room.lock);
    return has_room;
}

void times_node_give_bytes(size_t bytes)
{
    lock_take(&room.lock);
    room.bytes_left += bytes;
    lock_give(&room.lock);
}

int times_node_add_method(int32_t id)
{
    struct times_node *n;
    if (id < 0 || (uint32_t)id >= room.method_capacity)
        return -ENOMEM;
    n = &room.methods[id];
    n->last = &times_node_none;
    n->parent = n;
    n->id = id;
    n->length = 1;
    lock_take(&room.lock);
    if (room.method_count <= (uint32_t)id)
        room.method_count = (uint32_t)id + 1;
    lock_give(&room.lock);
    return 0;
}

struct times_node *times_node_of_method(int32_t id)
{
    return id >= 0 && (uint32_t)id < room.method_capacity && room.methods[id].last
               ? &room.methods[id]
               : NULL;
}

bool times_node_is_shared(const struct times_node *n)
{
    return n >= room.methods && n < room.methods + room.method_capacity;
}

static void add(int64_t *to, int64_t n, bool is_shared)
{
    if (is_shared)
        __atomic_fetch_add(to, n, __ATOMIC_RELAXED);
    else
        __atomic_store_n(to, *to + n, __ATOMIC_RELAXED);
}

void times_node_add(struct times_node *n, int64_t calls, int64_t time, int64_t made)
{
    bool is_shared = times_node_is_shared(n);
    add(&n->time, time, is_shared);
    add(&n->made, made, is_shared);
    add(&n->count, calls, is_shared);
}

/* ---- spreads */

_Static_assert(sizeof(struct times_node) == sizeof(struct times_spread) << TIMES_SPREAD_SHIFT,
               "the tracker finds a spread by its node's address");

int64_t times_node_spreads(void)
{
    return (int64_t)((uint64_t)(uintptr_t)room.spreads.paths -
                     ((uint64_t)(uintptr_t)room.nodes >> TIMES_SPREAD_SHIFT));
}

struct times_spread *times_node_spread(const struct times_node *n)
{
    return times_node_is_shared(n) ? &room.spreads.methods[n - room.methods]
                                   : &room.spreads.paths[n - room.nodes];
}

static void raise(int64_t *to, int64_t n)
{
    int64_t before = __atomic_load_n(to, __ATOMIC_RELAXED);
    while (n > before &&
           !__atomic_compare_exchange_n(to, &before, n, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

void times_node_add_spread(struct times_node *n, const struct times_spread *more)
{
    struct times_spread *s = times_node_spread(n);
    add(&s->total, more->total, times_node_is_shared(n));
    raise(&s->most, more->most);
    raise(&s->shortest, more->shortest);
}

void times_node_add_call(struct times_node *n, int64_t took)
{
    const struct times_spread one = {.total = took, .most = took, .shortest = INT64_MAX ^ took};
    times_node_add_spread(n, &one);
}

void times_node_forget_calls(void)
{
    for (uint32_t i = 0; i < room.method_count; i++) {
        struct times_node *n = &room.methods[i];
        if (n->count || n->time || n->made) {
            __atomic_store_n(&n->count, 0, __ATOMIC_RELAXED);
            __atomic_store_n(&n->time, 0, __ATOMIC_RELAXED);
            __atomic_store_n(&n->made, 0, __ATOMIC_RELAXED);
        }
        forget_spread(&room.spreads.methods[i]);
    }
}

/* ---- reading */

struct times_node_view times_node_view(void)
{
    struct times_node_view v;
    lock_take(&room.lock);
    v.paths = room.used;
    v.count = room.used + room.method_count;
    lock_give(&room.lock);
    return v;
}

struct times_node *times_node_at(struct times_node_view v, uint32_t i)
{
    return i < v.paths ? &room.nodes[i] : &room.methods[i - v.paths];
}

struct times_node_base *times_node_base_at(struct times_node_view v, int place, uint32_t i)
{
    return i < v.paths ? &room.bases[place].paths[i] : &room.bases[place].methods[i - v.paths];
}

uint32_t times_node_index(struct times_node_view v, const struct times_node *n)
{
    uint64_t i = UINT32_MAX;
    if (times_node_is_shared(n))
        i = v.paths + (uint64_t)(n - room.methods);
    else if (n >= room.nodes && n < room.nodes + v.paths)
        i = (uint64_t)(n - room.nodes);
    return i < v.count ? (uint32_t)i : UINT32_MAX;
}

uint32_t times_node_used(void)
{
    uint32_t n;
    lock_take(&room.lock);
    n = room.used - room.free_count;
    lock_give(&room.lock);
    return n;
}
