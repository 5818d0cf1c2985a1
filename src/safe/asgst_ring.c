/*
 * asgst_ring.c - see asgst_ring.h.
 *
 * The frames of the waiting elements lie in the store at [oldest.store_at, store_next), cyclically;
 * the frames of one element are contiguous. If the rest of the store up to its end is too short for
 * an element, the frames that the element has so far move to the start.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/asgst_ring.h"
#include <string.h>

#define ENTRY (1ull << 32)

size_t asgst_ring_bytes(uint32_t capacity, uint32_t frames)
{
    return capacity * sizeof(struct asgst_ring_element) + frames * sizeof(struct asgst_ring_frame);
}

void asgst_ring_init(struct asgst_ring *r, void *memory, uint32_t capacity, uint32_t frames)
{
    memset(r, 0, sizeof(*r));
    r->elements = memory;
    r->store = (void *)((char *)memory + capacity * sizeof(*r->elements));
    r->capacity = capacity;
    r->store_frames = frames;
}

static struct asgst_ring_element *element_at(struct asgst_ring *r, uint64_t n)
{
    return &r->elements[n % r->capacity];
}

void asgst_ring_enter(struct asgst_ring *r)
{
    atomic_fetch_add(&r->entries, ENTRY);
}

/* The place behind the last claimed element. Fewer than 2^32 elements lie between that place and
 * `near`, and `near` is not smaller. */
static uint64_t claimed_before(const struct asgst_ring *r, uint64_t near)
{
    return near - (uint32_t)((uint32_t)near - (uint32_t)atomic_load(&r->entries));
}

uint32_t asgst_ring_size(const struct asgst_ring *r)
{
    uint64_t head = atomic_load(&r->head);
    return (uint32_t)(head - claimed_before(r, head));
}

bool asgst_ring_is_empty(const struct asgst_ring *r)
{
    uint64_t tail = atomic_load(&r->tail);
    return atomic_load(&r->head) == tail;
}

struct asgst_ring_element *asgst_ring_begin(struct asgst_ring *r)
{
    uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
    uint64_t tail = atomic_load_explicit(&r->tail, memory_order_acquire);
    if (head - tail >= r->capacity)
        return NULL;
    if (head == tail)
        r->store_next = 0;
    r->filling = 0;
    struct asgst_ring_element *e = element_at(r, head);
    memset(e, 0, sizeof(*e));
    e->store_at = r->store_next;
    return e;
}

/* The place of the oldest waiting frame. If no frame waits: the first frame of the element that is
 * being put in. */
static uint32_t oldest_frame(struct asgst_ring *r, uint64_t head)
{
    uint64_t tail = atomic_load_explicit(&r->tail, memory_order_acquire);
    for (; tail != head; tail++) {
        const struct asgst_ring_element *e = element_at(r, tail);
        if (e->frame_count != 0)
            return e->store_at;
    }
    return element_at(r, head)->store_at;
}

struct asgst_ring_frame *asgst_ring_add(struct asgst_ring *r)
{
    uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
    struct asgst_ring_element *e = element_at(r, head);
    uint32_t oldest = oldest_frame(r, head);
    uint32_t next = e->store_at + r->filling;
    if (next < oldest) { /* the free part ends at the oldest frame */
        if (next + 1 >= oldest)
            return NULL;
    } else if (next >= r->store_frames) {
        /* at the end: go on at the start, if there is room in front of the oldest frame */
        if (r->filling + 1 >= oldest)
            return NULL;
        memmove(r->store, r->store + e->store_at, r->filling * sizeof(*r->store));
        e->store_at = 0;
        next = r->filling;
    }
    r->filling++;
    e->frame_count = r->filling;
    struct asgst_ring_frame *f = &r->store[next];
    memset(f, 0, sizeof(*f));
    return f;
}

void asgst_ring_commit(struct asgst_ring *r)
{
    uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
    struct asgst_ring_element *e = element_at(r, head);
    e->frame_count = r->filling;
    r->store_next = e->store_at + r->filling;
    atomic_store_explicit(&r->head, head + 1, memory_order_release);
}

struct asgst_ring_element *asgst_ring_get(struct asgst_ring *r, int n)
{
    uint64_t head = atomic_load(&r->head), first = claimed_before(r, head), size = head - first;
    if (n >= 0)
        return (uint64_t)n < size ? element_at(r, first + (uint64_t)n) : NULL;
    return (uint64_t)(-(int64_t)n) <= size ? element_at(r, head + (uint64_t)(int64_t)n) : NULL;
}

struct asgst_ring_look asgst_ring_look(const struct asgst_ring *r)
{
    uint64_t entries = atomic_load(&r->entries);
    return (struct asgst_ring_look){entries, atomic_load(&r->head)};
}

int asgst_ring_claim(struct asgst_ring *r, const struct asgst_ring_look *look)
{
    uint64_t seen = look->entries;
    uint64_t claimed = (seen & ~(ENTRY - 1)) | (uint32_t)look->head;
    return atomic_compare_exchange_strong(&r->entries, &seen, claimed);
}

uint32_t asgst_ring_claimed(const struct asgst_ring *r)
{
    return (uint32_t)atomic_load(&r->entries) - (uint32_t)atomic_load(&r->tail);
}

struct asgst_ring_element *asgst_ring_youngest(struct asgst_ring *r)
{
    uint32_t count = asgst_ring_claimed(r);
    return count != 0 ? element_at(r, atomic_load(&r->tail) + count - 1) : NULL;
}

struct asgst_ring_element *asgst_ring_peek(struct asgst_ring *r)
{
    return asgst_ring_claimed(r) != 0 ? element_at(r, atomic_load(&r->tail)) : NULL;
}

void asgst_ring_pop(struct asgst_ring *r)
{
    atomic_fetch_add_explicit(&r->tail, 1, memory_order_release);
}
