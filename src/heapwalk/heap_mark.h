/*
 * heap_mark.h - marks the objects of a heap that can be reached, with one bit for each 8 bytes of
 * the heap.
 *
 * The caller gives the roots. From there references are followed as the collector follows them:
 * through soft and final references, not through weak and phantom ones; from an object to its
 * class; from a class to its static fields, its loader and its resolved constants; from a loader to
 * its classes. A class is read when its first object is met.
 * Memory comes from mmap; only touched pages cost memory; malloc() is not used.
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
    /* objects that are marked and whose references have not been followed yet */
    uint64_t *stack;
    uint64_t stack_used, stack_max;
    uint64_t objects, bytes; /* of all marked objects */
    /* What `bytes` may grow to: more than the heap has are no objects. Set by heap_mark_init(); the
     * owner may lower it. */
    uint64_t bytes_max;
    uint64_t broken;         /* references that lead to no object; they are not followed */
    uint64_t forwarded;      /* references to objects that are being moved */
    int full;                /* the stack was too small: the marking is not complete */
    volatile uint64_t *seen; /* counted up again and again; NULL: not wanted */
};

/** Prepare a marking. `seen` is the caller's counter, which shows progress to another thread; may
 * be NULL. Errors: 0, -ENOMEM. Owner: heap_mark_done(). */
int heap_mark_init(struct heap_mark *m, struct heap_classes *classes, volatile uint64_t *seen);
void heap_mark_done(struct heap_mark *m);

/** Mark a root object. */
void heap_mark_root(struct heap_mark *m, uint64_t object);
enum { HEAP_MARK_GUESSES = 3 };

/**
 * The objects to which a word of a stack may refer: addresses at which an object of a known class
 * may begin. Returns how many; with collectors other than ZGC at most one.
 */
uint32_t heap_mark_guess(const struct heap_mark *m, uint64_t word,
                         uint64_t ret_objects[HEAP_MARK_GUESSES]);

/** Mark all objects to which marked objects lead. */
void heap_mark_run(struct heap_mark *m);
/**
 * Mark those of the given classes that are alive because their loader is alive. A hidden class that
 * only its mirror keeps alive is not marked. With `all` every given class is marked. Call it after
 * all roots have been marked.
 */
void heap_mark_classes(struct heap_mark *m, const uint64_t *klasses, uint32_t count, int all);

/** Show progress. */
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
    uint64_t rest;             /* bits of *at that the walk has not reached */
    uint64_t last_mask;        /* the bits of *last that are in the range */
    uint64_t address;          /* the heap address that the first bit of *at stands for */
};

/** A cursor over the marked objects in [from, to). No bit may change while the cursor is in use. */
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

/** The first marked object in [from, to); `to` if there is none. */
uint64_t heap_mark_next(const struct heap_mark *m, uint64_t from, uint64_t to);
