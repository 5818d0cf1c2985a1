/*
 * asgst_ring.h - the waiting room of one ASGST queue: elements, and the stacks that belong to them.
 *
 * The ring has one producer (the handlers of one thread), one consumer (the library's thread) and
 * no locks. An element is a word of the API's struct together with the place of its frames in a
 * store of frames. Whenever the ring is empty, the store is used from its start again. A queue that
 * is drained in time therefore touches a few pages only, however large its capacity is. The caller
 * gives the memory once.
 *
 * The producer may still write to an element that waits. Therefore the consumer first claims
 * elements: claimed elements belong to the consumer, and the producer does not find them any more.
 * A claim is made of a look at the ring, and holds only if the producer has not entered the ring
 * since that look. The consumer itself must find out what the producer was doing at the time of the
 * look (asgst_queue.c).
 * Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One element. Its first four fields are the API's ASGST_QueueElement. */
struct asgst_ring_element {
    void *pc, *fp, *sp, *arg;
    uint32_t store_at, frame_count;
    int32_t end_state; /* the result with which the walk ended */
    uint32_t reserved;
};

/** One frame in the store. */
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
    _Atomic uint64_t head, tail; /* elements put in, and taken out, since the beginning */
    _Atomic uint64_t entries; /* (entries of the producer << 32) | elements claimed, modulo 2^32 */
    uint32_t store_next;      /* first free place of the store; only the producer uses this field */
    uint32_t filling;         /* frames of the element that is being put in */
};

/** Bytes of zeroed memory for a ring of `capacity` elements and `frames` stored frames. */
size_t asgst_ring_bytes(uint32_t capacity, uint32_t frames);
void asgst_ring_init(struct asgst_ring *r, void *memory, uint32_t capacity, uint32_t frames);

/** Begin a visit of the producer: each handler calls this function first. */
void asgst_ring_enter(struct asgst_ring *r);

/** The number of elements that wait and are not claimed. For the producer. */
uint32_t asgst_ring_size(const struct asgst_ring *r);

/** Whether no element waits, claimed or not. */
bool asgst_ring_is_empty(const struct asgst_ring *r);

/**
 * Put in one element: begin, add its frames, commit. Between begin and commit the consumer sees
 * nothing of the element.
 *
 * asgst_ring_begin() returns the element to fill, or NULL if the ring is full. asgst_ring_add()
 * returns the frame to fill, or NULL if the store has no room; the caller then leaves without
 * commit, or commits the frames that were added.
 */
struct asgst_ring_element *asgst_ring_begin(struct asgst_ring *r);
struct asgst_ring_frame *asgst_ring_add(struct asgst_ring *r);
void asgst_ring_commit(struct asgst_ring *r);

/** One of the elements that wait and are not claimed. `n` counts from the oldest (0, 1, ...) or
 * from the youngest (-1, -2, ...). NULL: there is no such element. For the producer. */
struct asgst_ring_element *asgst_ring_get(struct asgst_ring *r, int n);

/** The state of the ring that the consumer saw at one look. */
struct asgst_ring_look {
    uint64_t entries, head;
};
struct asgst_ring_look asgst_ring_look(const struct asgst_ring *r);

/** Claim all elements that waited at `look`. Returns 1, or 0 if the producer has entered since. For
 * the consumer. */
int asgst_ring_claim(struct asgst_ring *r, const struct asgst_ring_look *look);

/** The number of claimed elements, and the youngest claimed element (NULL: none is claimed). For
 * the consumer. */
uint32_t asgst_ring_claimed(const struct asgst_ring *r);
struct asgst_ring_element *asgst_ring_youngest(struct asgst_ring *r);

/** For the consumer: the oldest claimed element (NULL: none); asgst_ring_pop() gives it back. */
struct asgst_ring_element *asgst_ring_peek(struct asgst_ring *r);
void asgst_ring_pop(struct asgst_ring *r);
