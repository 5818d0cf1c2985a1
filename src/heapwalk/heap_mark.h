/*
 * heap_mark.h - which objects of a heap can be reached: one bit for every place an object may
 * begin.
 *
 * The roots are the caller's; from there on references are followed as the collector does: not
 * through weak and phantom references, but through soft and final ones; from an object to its
 * class, from a class to its statics, its loader and its resolved constants, from a loader to its
 * classes. A class is read when the first object of it is met.
 * Memory comes from mmap, as much as the heap needs and is touched: no malloc().
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "heapwalk/heap_class.h"
#include <stdbool.h>
#include <stdint.h>

struct heap_mark {
    const struct heap *heap;
    struct heap_classes *classes; /* borrowed */
    uint64_t *bits;
    uint64_t bit_words;
    uint64_t *stack; /* what has been marked and not been looked into */
    uint64_t stack_used, stack_max;
    uint64_t objects, bytes; /* marked */
    uint64_t broken;         /* references that lead to no object: not followed */
    uint64_t forwarded;      /* references to objects that are being moved */
    int full;                /* the stack's memory was used up: the marking is not complete */
    volatile uint64_t *seen; /* raised again and again; NULL nobody asks */
};

/** `seen`: the caller's, for whoever wants to see that it goes on. Errors: 0, -ENOMEM. Owner:
 * heap_mark_done(). */
int heap_mark_init(struct heap_mark *m, struct heap_classes *classes, volatile uint64_t *seen);
void heap_mark_done(struct heap_mark *m);

/** Mark an object. */
void heap_mark_root(struct heap_mark *m, uint64_t object);
/** Mark all objects to which marked objects lead. */
void heap_mark_run(struct heap_mark *m);
/**
 * Mark the classes of the given Klasses that are alive because their loader is; a class that only
 * its mirror keeps alive (a hidden one) is not. Call it when all roots are in. With `all` each of
 * them is marked.
 */
void heap_mark_classes(struct heap_mark *m, const uint64_t *klasses, uint32_t count, int all);

/** Objects have been looked at. */
static inline void heap_mark_go_on(const struct heap_mark *m)
{
    if (m->seen)
        ++*m->seen;
}

static inline uint64_t heap_mark_bit(const struct heap_mark *m, uint64_t object)
{
    return (object - m->heap->low) >> 3;
}

static inline bool heap_mark_has(const struct heap_mark *m, uint64_t object)
{
    if (!heap_has(m->heap, object))
        return false;
    uint64_t bit = heap_mark_bit(m, object);
    return (int)(m->bits[bit >> 6] >> (bit & 63) & 1);
}

static inline void heap_mark_set(struct heap_mark *m, uint64_t object)
{
    uint64_t bit = heap_mark_bit(m, object);
    m->bits[bit >> 6] |= (uint64_t)1 << (bit & 63);
}

static inline void heap_mark_clear(struct heap_mark *m, uint64_t object)
{
    uint64_t bit = heap_mark_bit(m, object);
    m->bits[bit >> 6] &= ~((uint64_t)1 << (bit & 63));
}

/** A walk through marked objects in the order of their addresses. */
struct heap_mark_cursor {
    const uint64_t *at, *last; /* words of bits */
    uint64_t rest;             /* bits of *at that are still to come */
    uint64_t last_mask;        /* the bits of *last that count */
    uint64_t address;          /* of the place that the first bit of *at stands for */
};

/** A cursor over the marked objects in [from, to). While the cursor is used no bit may change. */
struct heap_mark_cursor heap_mark_cursor(const struct heap_mark *m, uint64_t from, uint64_t to);

/** The next marked object; 0 at the end. */
static inline uint64_t heap_mark_cursor_next(struct heap_mark_cursor *c)
{
    while (c->rest == 0) {
        if (c->at >= c->last)
            return 0;
        c->at++;
        c->address += (uint64_t)64 * 8;
        c->rest = c->at == c->last ? *c->at & c->last_mask : *c->at;
    }
    uint64_t object = c->address + ((uint64_t)__builtin_ctzll(c->rest) << 3);
    c->rest &= c->rest - 1;
    return object;
}

/** The first marked object in [from, to), or `to`. */
uint64_t heap_mark_next(const struct heap_mark *m, uint64_t from, uint64_t to);
