/*
 * asgst_ring.h - the waiting room of one ASGST queue: elements, and the stacks that belong to them.
 *
 * One producer (handlers of one thread), one consumer (the library's thread), no locks. An element
 * is a word of the API's struct with the place of its frames in a byte store; the store is used
 * from its start again whenever the ring is empty, so a queue that is drained in time touches a few
 * pages, however large its capacity is. Memory is the caller's, given once.
 *
 * The producer may still write to an element that waits, so the consumer claims elements first:
 * claimed elements are the consumer's, the producer does not find them any more. A claim holds only
 * if the producer has not entered the ring since the look it is made of; what the producer was
 * doing at that look the consumer has to find out by itself (asgst_rest.h). Context of everything
 * here: signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The first four are the API's ASGST_QueueElement. */
struct asgst_ring_element {
    void *pc, *fp, *sp, *arg;
    uint32_t store_at, frame_count;
    int32_t end_state; /* what the walk ended with */
    uint32_t reserved;
};

/** A stored frame. */
struct asgst_ring_frame {
    uint64_t method, pc, sp, fp;
    int32_t bci;
    int8_t level;
    uint8_t type;
    uint16_t reserved;
};

struct asgst_ring {
    struct asgst_ring_element *elements;
    struct asgst_ring_frame *store;
    uint32_t capacity, store_frames;
    _Atomic uint64_t head, tail; /* elements put in, taken out, since the beginning */
    _Atomic uint64_t entries;    /* entries of the producer << 32 | elements claimed, modulo 2^32 */
    uint32_t store_next;         /* the producer's */
    uint32_t filling;            /* frames of the element that is being put in */
};

/** Bytes of zeroed memory for a ring of `capacity` elements and `frames` stored frames. */
size_t asgst_ring_bytes(uint32_t capacity, uint32_t frames);
void asgst_ring_init(struct asgst_ring *r, void *memory, uint32_t capacity, uint32_t frames);

/** The producer comes: each visit of a handler begins with this. */
void asgst_ring_enter(struct asgst_ring *r);

/** Elements that wait and are not claimed. For the producer. */
uint32_t asgst_ring_size(const struct asgst_ring *r);

/** Whether no element waits, be it claimed or not. */
bool asgst_ring_is_empty(const struct asgst_ring *r);

/**
 * Put in one element: begin, add its frames, commit. Between begin and commit the consumer sees
 * nothing.
 *
 * asgst_ring_begin(): the element to fill, or NULL: full. asgst_ring_add(): the frame to fill, or
 * NULL: the store has no room; then leave without commit, or commit what is there.
 */
struct asgst_ring_element *asgst_ring_begin(struct asgst_ring *r);
struct asgst_ring_frame *asgst_ring_add(struct asgst_ring *r);
void asgst_ring_commit(struct asgst_ring *r);

/** Of the elements that wait and are not claimed, number `n` from the oldest (0) or from the
 * youngest (-1); NULL where there is no such element. For the producer. */
struct asgst_ring_element *asgst_ring_get(struct asgst_ring *r, int n);

/** What the consumer saw of the ring. */
struct asgst_ring_look {
    uint64_t entries, head;
};
struct asgst_ring_look asgst_ring_look(const struct asgst_ring *r);

/** The consumer: claim all that waited at `look`. 1, or 0: the producer has entered since. */
int asgst_ring_claim(struct asgst_ring *r, const struct asgst_ring_look *look);

/** The consumer: how many are claimed, the youngest of them, NULL if none. */
uint32_t asgst_ring_claimed(const struct asgst_ring *r);
struct asgst_ring_element *asgst_ring_youngest(struct asgst_ring *r);

/** The consumer: the oldest claimed element, NULL if none; and give it back. */
struct asgst_ring_element *asgst_ring_peek(struct asgst_ring *r);
void asgst_ring_pop(struct asgst_ring *r);
