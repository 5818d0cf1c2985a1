/*
 * alloc_table.c - see alloc_table.h.
 *
 * Estimates: each object is sampled independently with a known probability p. If each sample counts
 * as 1/p objects, the sum is unbiased, and (1-p)/p^2 for each sample is an unbiased estimate of the
 * variance (Horvitz and Thompson 1952).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/alloc/alloc_table.h"
#include <errno.h>
#include <stdbool.h>
#include "base/expo.h"
#include "base/lock.h"
#include "base/pages.h"

enum {
    PROBES = 8,
    KEYS_FIRST = 1 << 12,
};

int alloc_table_init(struct alloc_table *t, size_t row_bytes, size_t key_bytes)
{
    size_t keys = PROBES;
    *t = (struct alloc_table){.row_room = (uint32_t)(row_bytes / sizeof(struct alloc_row))};
    while (2 * keys * sizeof(struct alloc_key) <= key_bytes)
        keys *= 2;
    t->key_room = (uint32_t)keys;
    t->key_mask = (keys < KEYS_FIRST ? t->key_room : KEYS_FIRST) - 1;
    t->rows = pages_map(t->row_room * sizeof(*t->rows));
    t->keys = pages_map((keys + PROBES) * sizeof(*t->keys));
    lock_init(&t->lock, LOCK_SITE_KEYS);
    if (!t->rows || !t->keys || t->row_room < 2) {
        alloc_table_done(t);
        return -ENOMEM;
    }
    return 0;
}

void alloc_table_done(struct alloc_table *t)
{
    pages_unmap(t->rows, t->row_room * sizeof(*t->rows));
    pages_unmap(t->keys, ((size_t)t->key_room + PROBES) * sizeof(*t->keys));
    t->rows = NULL;
    t->keys = NULL;
}

struct alloc_found alloc_table_find(const struct alloc_table *t, uint64_t key)
{
    const struct alloc_key *at =
        t->keys + (key & atomic_load_explicit(&t->key_mask, memory_order_relaxed));
    for (int i = 0; i < PROBES; i++, at++) {
        uint64_t found;
        if (atomic_load_explicit(&at->key, memory_order_acquire) != key)
            continue;
        found = atomic_load_explicit(&at->found, memory_order_acquire);
        /* Another thread may have given the place to another key in between. */
        if (atomic_load_explicit(&at->key, memory_order_relaxed) == key)
            return (struct alloc_found){(uint32_t)found, (uint32_t)(found >> 32)};
        break;
    }
    return (struct alloc_found){0};
}

/* The first place for a key. If the part in use is more than half full, the function doubles it
 * first. Half of the keys are then in a wrong place: they are not found any more, so their stacks
 * are asked for once more, and other keys overwrite them. */
static struct alloc_key *home_of(struct alloc_table *t, uint64_t key)
{
    uint32_t mask = atomic_load_explicit(&t->key_mask, memory_order_relaxed);
    if (t->key_count > mask / 2 && mask + 1 < t->key_room) {
        mask = 2 * mask + 1;
        atomic_store_explicit(&t->key_mask, mask, memory_order_relaxed);
    }
    return t->keys + (key & mask);
}

void alloc_table_remember(struct alloc_table *t, uint64_t key, struct alloc_found found)
{
    struct alloc_key *home, *at;
    lock_take(&t->lock);
    home = home_of(t, key);
    at = home + (key >> 32) % PROBES;
    for (int i = 0; i < PROBES; i++) {
        uint64_t there = atomic_load_explicit(&home[i].key, memory_order_relaxed);
        if (there == key || there == 0) {
            at = home + i;
            t->key_count += there == 0;
            break;
        }
    }
    if (atomic_load_explicit(&at->key, memory_order_relaxed) != key) {
        atomic_store(&at->key, 0);
        atomic_store(&at->found, found.row | (uint64_t)found.measure << 32);
        atomic_store(&at->key, key);
    }
    lock_give(&t->lock);
}

void alloc_table_forget(struct alloc_table *t)
{
    lock_take(&t->lock);
    for (uint32_t i = 0, n = t->key_mask + PROBES; i < n; i++)
        atomic_store_explicit(&t->keys[i].key, 0, memory_order_relaxed);
    t->key_count = 0;
    lock_give(&t->lock);
}

uint32_t alloc_table_add_row(struct alloc_table *t, uint32_t klass, uint32_t trace,
                             uint32_t trace_serial)
{
    uint32_t row = atomic_load(&t->row_count) + 1;
    if (row >= t->row_room)
        return ALLOC_TABLE_OTHER;
    t->rows[row].klass = klass;
    t->rows[row].trace = trace;
    t->rows[row].trace_serial = trace_serial;
    atomic_store_explicit(&t->row_count, row, memory_order_release);
    return row;
}

bool alloc_table_is_crowded(const struct alloc_table *t)
{
    return atomic_load(&t->row_count) >= t->row_room / 8 * 7;
}

const struct alloc_row *alloc_table_row(const struct alloc_table *t, int64_t tag)
{
    if (tag <= 0 || !t->rows ||
        tag > (int64_t)atomic_load_explicit(&t->row_count, memory_order_acquire))
        return NULL;
    return t->rows + tag;
}

static uint64_t add(_Atomic uint64_t *counter, uint64_t n)
{
    return atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

uint64_t alloc_table_count(struct alloc_table *t, uint32_t row, uint64_t bytes)
{
    struct alloc_row *r = t->rows + row;

    uint64_t before = add(&r->objects, 1);

    add(&r->bytes, bytes);
    if (atomic_load_explicit(&r->changed, memory_order_relaxed) != ALLOC_TABLE_CHANGED)
        atomic_store_explicit(&r->changed, ALLOC_TABLE_CHANGED, memory_order_relaxed);
    return before;
}

uint64_t alloc_table_count_sample(struct alloc_table *t, uint32_t row, uint64_t bytes, double p)
{
    struct alloc_row *r = t->rows + row;
    double size = (double)bytes, variance = (1 - p) / (p * p);
    uint64_t before = alloc_table_count(t, row, bytes);
    lock_take(&t->lock);
    r->objects_estimate += 1 / p;
    r->bytes_estimate += size / p;
    r->objects_variance += variance;
    r->bytes_variance += size * size * variance;
    lock_give(&t->lock);
    return before;
}

struct alloc_counts alloc_table_counts(struct alloc_table *t, uint32_t row)
{
    const struct alloc_row *r = t->rows + row;
    lock_take(&t->lock);
    struct alloc_counts counts = {
        .objects = atomic_load_explicit(&r->objects, memory_order_relaxed),
        .bytes = atomic_load_explicit(&r->bytes, memory_order_relaxed),
        .objects_estimate = r->objects_estimate,
        .bytes_estimate = r->bytes_estimate,
        .objects_variance = r->objects_variance,
        .bytes_variance = r->bytes_variance,
    };

    lock_give(&t->lock);
    return counts;
}

double alloc_table_probability(uint64_t bytes, double interval)
{
    return expo_hit((double)bytes / interval);
}
