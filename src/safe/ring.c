/*
 * ring.c - see ring.h.
 *
 * A cell's sequence number says whose turn it is: equal to the position p means free for the writer
 * of p; p + 1 means published; the reader then sets p + count for the next lap. It is stored less
 * the cell's own number, so that zeroed memory is an empty ring and is not touched before its use.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/ring.h"

struct cell {
    _Atomic uint64_t turn; /* sequence - number of the cell */
    uint64_t position;
    unsigned char payload[];
};

static struct cell *cell_at(const struct ring *r, uint64_t position)
{
    return (struct cell *)(r->cells + (position & r->mask) * r->stride);
}

static uint64_t sequence_of(const struct ring *r, struct cell *cell, uint64_t position)
{
    return atomic_load_explicit(&cell->turn, memory_order_acquire) + (position & r->mask);
}

static void set_sequence(const struct ring *r, struct cell *cell, uint64_t position,
                         uint64_t sequence)
{
    atomic_store_explicit(&cell->turn, sequence - (position & r->mask), memory_order_release);
}

static size_t stride_of(size_t payload)
{
    return (sizeof(struct cell) + payload + 15) & ~(size_t)15;
}

size_t ring_capacity(size_t bytes, size_t payload)
{
    size_t fit = bytes / stride_of(payload), count = 1;

    while (count * 2 <= fit)
        count *= 2;
    return count >= 2 ? count : 0;
}

size_t ring_bytes(size_t count, size_t payload)
{
    return count * stride_of(payload);
}

void ring_init(struct ring *r, void *memory, size_t count, size_t payload)
{
    r->cells = memory;
    r->stride = stride_of(payload);
    r->mask = count - 1;
    atomic_init(&r->head, 0);
    atomic_init(&r->tail, 0);
    atomic_init(&r->lost, 0);
}

void *ring_claim(struct ring *r)
{
    uint64_t position = atomic_load_explicit(&r->head, memory_order_relaxed);

    for (int i = 0; i < RING_TRIES; i++) {
        struct cell *cell = cell_at(r, position);
        uint64_t sequence = sequence_of(r, cell, position);

        if (sequence == position) {
            if (atomic_compare_exchange_weak_explicit(&r->head, &position, position + 1,
                                                      memory_order_relaxed, memory_order_relaxed)) {
                cell->position = position;
                return cell->payload;
            }
        } else if ((int64_t)(sequence - position) < 0) {
            break; /* a lap behind: full */
        } else {
            position = atomic_load_explicit(&r->head, memory_order_relaxed);
        }
    }
    atomic_fetch_add_explicit(&r->lost, 1, memory_order_relaxed);
    return NULL;
}

static struct cell *cell_of(void *payload)
{
    return (struct cell *)((unsigned char *)payload - offsetof(struct cell, payload));
}

void ring_publish(struct ring *r, void *payload)
{
    struct cell *cell = cell_of(payload);

    set_sequence(r, cell, cell->position, cell->position + 1);
}

void *ring_peek(struct ring *r)
{
    uint64_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    struct cell *cell = cell_at(r, tail);

    if (sequence_of(r, cell, tail) != tail + 1)
        return NULL;
    return cell->payload;
}

void ring_release(struct ring *r)
{
    uint64_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    struct cell *cell = cell_at(r, tail);

    set_sequence(r, cell, tail, tail + r->mask + 1);
    atomic_store_explicit(&r->tail, tail + 1, memory_order_relaxed);
}

uint64_t ring_waiting(const struct ring *r)
{
    /* The tail first: it never passes the head, so the difference is never negative. */
    uint64_t tail = atomic_load_explicit(&r->tail, memory_order_acquire);

    return atomic_load_explicit(&r->head, memory_order_relaxed) - tail;
}
