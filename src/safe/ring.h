/*
 * ring.h - the one way from the signal world into the ordinary one.
 *
 * This is a bounded ring of records of variable length. It has many writers (signal handlers on any
 * thread) and one reader (the drain thread). The length of a record is known only when the record
 * has been made. A writer therefore takes a draft, fills it, and publishes the part that it has
 * filled. In this way the ring has no unused room, and a writer that loses the processor while it
 * makes a record delays no other writer. If no draft is free, or the ring has no room, the record
 * is lost and counted; a writer never waits.
 *
 * The functions read and write only the memory of ring_init(). Its owner maps the memory before the
 * first writer runs, and unmaps it when no writer runs any more; plain loads and stores are
 * therefore safe. A writer owns its draft from ring_claim() to ring_publish(). It owns the bytes of
 * its record from the moment when it moves `head` over them until it stores the record's length.
 * From then on the reader owns them, until it moves `tail`. The reader leaves zeros in these bytes;
 * a length that is not stored yet therefore reads as 0. A record that begins at the end of the ring
 * continues behind that end, where the memory has room for one more record.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RING_TRIES = 64, /* bound of each claim's loop; after so many lost races the record is lost */
    RING_DRAFT_WORDS = 4,
    RING_DRAFTS = 64 * RING_DRAFT_WORDS, /* maximum: one for each handler that runs at a time */
};

struct ring {
    unsigned char *drafts;
    size_t draft_bytes, payload_bytes;              /* bytes of a draft; bytes that it may hold */
    _Atomic uint64_t drafts_free[RING_DRAFT_WORDS]; /* one bit for each draft */
    unsigned char *records;
    uint64_t size;         /* bytes of records, without the room behind the end */
    _Atomic uint64_t head; /* bytes claimed since the start; never goes back */
    _Atomic uint64_t tail; /* bytes given back; only the reader writes this field */
    _Atomic uint64_t lost; /* records that found no draft or no room */
};

/** The result of ring_publish(). */
enum ring_result {
    RING_LOST,
    RING_PUBLISHED,
    RING_PUBLISHED_QUARTER, /* published, and the ring has now become a quarter full */
};

/**
 * How many bytes of memory hold `count` records of `payload_bytes` each, together with their
 * drafts. Context: any.
 */
size_t ring_bytes(size_t count, size_t payload_bytes);
/**
 * Prepare the ring in `bytes` of zeroed memory, 64-byte aligned, for records of at most
 * `payload_bytes`. Returns false if the memory is too small for two records. Context: any.
 */
bool ring_init(struct ring *r, void *memory, size_t bytes, size_t payload_bytes);

/** Take a draft for one record. NULL: there is no draft, or no room; the record is counted as lost.
 * Context: signal. */
void *ring_claim(struct ring *r);
/**
 * Publish the first `bytes` of a claimed draft as a record, and give the draft back. `bytes` is at
 * least 1 and at most the payload's bytes. Context: signal.
 */
enum ring_result ring_publish(struct ring *r, void *draft, size_t bytes);
/** The oldest record, or NULL; valid until ring_release(). Context: the one reader. */
void *ring_peek(struct ring *r);
/** Give the record of ring_peek() back to the writers. Context: the one reader. */
void ring_release(struct ring *r);
/** Whether a quarter of the ring or more waits to be read. Context: any. */
bool ring_is_filling(const struct ring *r);
/** The end of the newest record that has been claimed; later claims lie beyond. Context: any. */
uint64_t ring_end(const struct ring *r);
/** Whether all records that were claimed when ring_end() was `end` have been read. Context: any. */
bool ring_is_read(const struct ring *r, uint64_t end);
