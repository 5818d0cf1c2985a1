/*
 * ring.h - the one way from the signal world into the ordinary one.
 *
 * A bounded ring of fixed-size cells: many writers (signal handlers on any thread), one reader (the
 * drain thread). A writer claims a cell, fills it and publishes it; when no cell is free the sample
 * is lost and counted, never waited for. A writer that is preempted between claim and publish only
 * delays the reader. Memory is the caller's, given once.
 * Shape: cells carry a sequence number (Vyukov's bounded queue).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RING_TRIES = 64
}; /* bound of the claim loop: after that many lost races the sample is lost */

struct ring {
    unsigned char *cells;
    size_t stride;         /* bytes from one cell to the next, its header included */
    uint64_t mask;         /* number of cells - 1; the number is a power of two */
    _Atomic uint64_t head; /* next cell to claim */
    _Atomic uint64_t lost; /* claims that found no free cell */
    _Atomic uint64_t tail; /* next cell to read; only the reader writes it */
};

/**
 * How many cells of `payload` bytes fit into `bytes`: a power of two, or 0 if not even two.
 * Context: any.
 */
size_t ring_capacity(size_t bytes, size_t payload);
/** Prepare in zeroed `memory`, 16-byte aligned, of ring_bytes(count, payload). Context: any. */
void ring_init(struct ring *r, void *memory, size_t count, size_t payload);
size_t ring_bytes(size_t count, size_t payload);

/** Claim a cell; NULL: full, counted as lost. Context: signal. */
void *ring_claim(struct ring *r);
/** Publish a claimed cell. Context: signal. */
void ring_publish(struct ring *r, void *payload);
/** The oldest published cell or NULL; valid until ring_release(). Context: the one reader. */
void *ring_peek(struct ring *r);
/** Give the cell of ring_peek() back to the writers. Context: the one reader. */
void ring_release(struct ring *r);
/** Cells claimed and not yet released, about. Context: any. */
uint64_t ring_waiting(const struct ring *r);
