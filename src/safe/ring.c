/*
 * ring.c - see ring.h.
 *
 * A record is a header of 8 bytes and its payload, rounded up to 8 bytes. The writer stores the
 * length of a record last, with release; the reader loads the length first, with acquire. The
 * reader fills a record with zeros before it moves `tail`, with release; a writer loads `tail`,
 * with acquire, before it moves `head`.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/ring.h"
#include <string.h>

enum {
    ALIGN = 8,         /* alignment of records */
    DRAFT_ALIGN = 64,  /* alignment of drafts: two handlers do not share a cache line */
    DRAFTS_SHARE = 8,  /* drafts get one part in 8 of the memory, */
    DRAFTS_LEAST = 2,  /* but at least 2 drafts */
    RECORDS_LEAST = 2, /* at least 2 of the longest records must fit */
};

struct record {
    _Atomic uint64_t bytes; /* bytes of the whole record; 0: not published */
    unsigned char payload[];
};

static size_t round_up(size_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}

static size_t record_bytes(size_t payload_bytes)
{
    return round_up(sizeof(struct record) + payload_bytes, ALIGN);
}

static size_t drafts_in(size_t bytes, size_t draft_bytes)
{
    size_t count = bytes / DRAFTS_SHARE / draft_bytes;
    if (count < DRAFTS_LEAST)
        return DRAFTS_LEAST;
    return count < RING_DRAFTS ? count : RING_DRAFTS;
}

size_t ring_bytes(size_t count, size_t payload_bytes)
{
    size_t draft_bytes = round_up(payload_bytes, DRAFT_ALIGN);
    size_t records = (count + 1) * record_bytes(payload_bytes);
    size_t drafts = drafts_in(records * DRAFTS_SHARE / (DRAFTS_SHARE - 1), draft_bytes);
    return records + (drafts + 1) * draft_bytes;
}

bool ring_init(struct ring *r, void *memory, size_t bytes, size_t payload_bytes)
{
    size_t longest = record_bytes(payload_bytes);
    size_t draft_bytes = round_up(payload_bytes, DRAFT_ALIGN);
    size_t drafts = drafts_in(bytes, draft_bytes);
    if (bytes < drafts * draft_bytes + (RECORDS_LEAST + 1) * longest)
        return false;
    *r = (struct ring){
        .drafts = memory,
        .draft_bytes = draft_bytes,
        .payload_bytes = payload_bytes,
        .records = (unsigned char *)memory + drafts * draft_bytes,
        .size = (bytes - drafts * draft_bytes - longest) / ALIGN * ALIGN,
    };
    for (size_t i = 0; i < drafts; i++)
        r->drafts_free[i / 64] |= (uint64_t)1 << (i % 64);
    return true;
}

static struct record *record_at(const struct ring *r, uint64_t position)
{
    return (struct record *)(r->records + position % r->size);
}

static void *count_lost(struct ring *r)
{
    atomic_fetch_add_explicit(&r->lost, 1, memory_order_relaxed);
    return NULL;
}

/* Take the lowest free draft: few drafts are ever touched, and those stay in the caches. */
static void *take_draft(struct ring *r)
{
    for (size_t word = 0; word < RING_DRAFT_WORDS; word++) {
        uint64_t left = atomic_load_explicit(&r->drafts_free[word], memory_order_relaxed);
        for (int i = 0; left != 0 && i < RING_TRIES; i++) {
            size_t bit = (size_t)__builtin_ctzll(left);
            if (atomic_compare_exchange_weak_explicit(&r->drafts_free[word], &left,
                                                      left & (left - 1), memory_order_acquire,
                                                      memory_order_relaxed))
                return r->drafts + (word * 64 + bit) * r->draft_bytes;
        }
    }
    return NULL;
}

static void give_draft(struct ring *r, const void *draft)
{
    size_t index = (size_t)((const unsigned char *)draft - r->drafts) / r->draft_bytes;
    atomic_fetch_or_explicit(&r->drafts_free[index / 64], (uint64_t)1 << (index % 64),
                             memory_order_release);
}

/* How many bytes lie between the reader and `position`. */
static uint64_t waiting_before(const struct ring *r, uint64_t position)
{
    return position - atomic_load_explicit(&r->tail, memory_order_acquire);
}

void *ring_claim(struct ring *r)
{
    uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
    void *draft;

    /* In most cases this check finds a full ring before the writer does its work. The head may be
     * older than the tail. */
    if ((int64_t)waiting_before(r, head) > (int64_t)(r->size - record_bytes(1)))
        return count_lost(r);
    draft = take_draft(r);
    return draft ? draft : count_lost(r);
}

/* Take the room of a record; NULL: there is no room. */
static struct record *take_room(struct ring *r, uint64_t bytes, bool *ret_is_quarter)
{
    uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
    for (int i = 0; i < RING_TRIES; i++) {
        uint64_t waiting = waiting_before(r, head);
        if ((int64_t)waiting < 0) { /* this head is an old one: the reader has passed it */
            head = atomic_load_explicit(&r->head, memory_order_relaxed);
            continue;
        }
        if (waiting + bytes > r->size)
            return NULL;
        if (atomic_compare_exchange_weak_explicit(&r->head, &head, head + bytes,
                                                  memory_order_relaxed, memory_order_relaxed)) {
            *ret_is_quarter = waiting < r->size / 4 && waiting + bytes >= r->size / 4;
            return record_at(r, head);
        }
    }
    return NULL;
}

enum ring_result ring_publish(struct ring *r, void *draft, size_t bytes)
{
    uint64_t whole = record_bytes(bytes);
    bool is_quarter = false;
    struct record *record = take_room(r, whole, &is_quarter);
    if (record) {
        memcpy(record->payload, draft, bytes);
        atomic_store_explicit(&record->bytes, whole, memory_order_release);
    } else {
        count_lost(r);
    }
    give_draft(r, draft);
    return !record ? RING_LOST : is_quarter ? RING_PUBLISHED_QUARTER : RING_PUBLISHED;
}

void *ring_peek(struct ring *r)
{
    struct record *record = record_at(r, atomic_load_explicit(&r->tail, memory_order_relaxed));
    return atomic_load_explicit(&record->bytes, memory_order_acquire) ? record->payload : NULL;
}

void ring_release(struct ring *r)
{
    uint64_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    struct record *record = record_at(r, tail);
    uint64_t bytes = atomic_load_explicit(&record->bytes, memory_order_relaxed);
    atomic_store_explicit(&record->bytes, 0, memory_order_relaxed);
    memset(record->payload, 0, bytes - sizeof(*record));
    atomic_store_explicit(&r->tail, tail + bytes, memory_order_release);
}

bool ring_is_filling(const struct ring *r)
{
    uint64_t tail = atomic_load_explicit(&r->tail, memory_order_acquire);
    return atomic_load_explicit(&r->head, memory_order_relaxed) - tail >= r->size / 4;
}

uint64_t ring_end(const struct ring *r)
{
    return atomic_load(&r->head);
}

bool ring_is_read(const struct ring *r, uint64_t end)
{
    return (int64_t)(atomic_load(&r->tail) - end) >= 0;
}
