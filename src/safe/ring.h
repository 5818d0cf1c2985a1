/*
 * ring.h - the one way from the signal world into the ordinary one.
 *
 * A bounded ring of records of variable length: many writers (signal handlers on any thread), one
 * reader (the drain thread). How long a record gets is known only when it has been made, so a
 * writer takes a draft, fills it, and publishes of it what there is: the ring has no room that
 * nobody uses, and a writer that loses the processor while it makes a record holds nobody up. When
 * no draft is free, or the ring has no room, the record is lost and counted, never waited for.
 *
 * Memory read and written: that of ring_init() alone, which its owner maps before the first writer
 * and unmaps when no writer runs any more; plain loads and stores do. A writer owns its draft from
 * ring_claim() to ring_publish(), and the bytes of its record from the moment it moves `head` over
 * them until it stores the record's length. The reader owns them from then until it moves `tail`.
 * It leaves zeros behind, so a length that nobody has stored yet reads 0. A record that begins at
 * the end of the ring goes on behind it, where the memory has room for one record more.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RING_TRIES = 64, /* bound of each claim's loop: after that many lost races the record is lost */
    RING_DRAFT_WORDS = 4,
    RING_DRAFTS = 64 * RING_DRAFT_WORDS, /* at most; one for each handler that runs at a time */
};

struct ring {
    unsigned char *drafts;
    size_t draft_bytes, payload_bytes;              /* of each draft; what it may hold */
    _Atomic uint64_t drafts_free[RING_DRAFT_WORDS]; /* a bit each */
    unsigned char *records;
    uint64_t size;         /* bytes of records, without the room behind the end */
    _Atomic uint64_t head; /* bytes claimed since the start; never goes back */
    _Atomic uint64_t tail; /* bytes given back; only the reader writes it */
    _Atomic uint64_t lost; /* records that found no draft or no room */
};

/** What became of a record. */
enum ring_result {
    RING_LOST,
    RING_PUBLISHED,
    RING_PUBLISHED_QUARTER, /* and with it the ring has become a quarter full */
};

/**
 * Bytes of memory for `count` records of `payload_bytes` each, and the drafts that go with them.
 * Context: any.
 */
size_t ring_bytes(size_t count, size_t payload_bytes);
/**
 * Prepare in `bytes` of zeroed memory, 64-byte aligned, for records of `payload_bytes` at most.
 * Returns false where not even two fit. Context: any.
 */
bool ring_init(struct ring *r, void *memory, size_t bytes, size_t payload_bytes);

/** A draft for one record; NULL: there is none, or no room, counted as lost. Context: signal. */
void *ring_claim(struct ring *r);
/**
 * Publish the first `bytes` of a claimed draft, 1 to the payload's, as a record, and give the draft
 * back. Context: signal.
 */
enum ring_result ring_publish(struct ring *r, void *draft, size_t bytes);
/** The oldest record, or NULL; valid until ring_release(). Context: the one reader. */
void *ring_peek(struct ring *r);
/** Give the record of ring_peek() back to the writers. Context: the one reader. */
void ring_release(struct ring *r);
/** Whether a quarter of the ring or more waits to be read. Context: any. */
bool ring_is_filling(const struct ring *r);
/** Where the newest record that has been claimed ends; later claims are beyond. Context: any. */
uint64_t ring_end(const struct ring *r);
/** Whether all records that were claimed when ring_end() was `end` have been read. Context: any. */
bool ring_is_read(const struct ring *r, uint64_t end);
