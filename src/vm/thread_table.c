/*
 * thread_table.c - see thread_table.h.
 *
 * An address may lie in one of WINDOW slots that follow each other, so that an entry can be removed
 * and its slot be used again without moving another one: threads may come and go for ever without
 * more memory. If no slot of the window is free, a table of twice the size takes the place of this
 * one, with all its entries.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/thread_table.h"
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

enum {
    WINDOW = 32,
    SLOTS_MIN = 256,
    SLOTS_MAX = 1 << 24,
};

struct slot {
    _Atomic uintptr_t address; /* 0: the slot is free */
    void *_Atomic record;
};

struct table {
    struct table *smaller; /* the one before, which threads may still read */
    size_t count;          /* a power of two; WINDOW - 1 more slots lie behind */
    struct slot slots[];
};

static struct table *_Atomic current;

static struct slot *first_slot(struct table *t, uintptr_t address)
{
    return &t->slots[((uint64_t)address * 0x9e3779b97f4a7c15u >> 32) & (t->count - 1)];
}

/* The slot in the window of `address` that has the address `wanted`, which is `address`, or 0. */
static struct slot *slot_with(struct table *t, uintptr_t address, uintptr_t wanted)
{
    struct slot *slot = first_slot(t, address);
    for (int i = 0; i < WINDOW; i++)
        if (atomic_load_explicit(&slot[i].address, memory_order_acquire) == wanted)
            return &slot[i];
    return NULL;
}

void *thread_table_find(uintptr_t address)
{
    struct table *t = atomic_load_explicit(&current, memory_order_acquire);
    struct slot *slot = t && address ? slot_with(t, address, address) : NULL;
    return slot ? atomic_load_explicit(&slot->record, memory_order_relaxed) : NULL;
}

/* Returns 0 if there is a slot. The record is there before a reader can meet the address. */
static int put(struct table *t, uintptr_t address, void *record)
{
    struct slot *slot = slot_with(t, address, address);
    if (!slot)
        slot = slot_with(t, address, 0);
    if (!slot)
        return -ENOSPC;
    atomic_store_explicit(&slot->record, record, memory_order_relaxed);
    atomic_store_explicit(&slot->address, address, memory_order_release);
    return 0;
}

/* A table with room for `count` entries and the entries of `old`. NULL: no memory. */
static struct table *make(struct table *old, size_t count)
{
    for (; count <= SLOTS_MAX; count *= 2) {
        struct table *t = calloc(1, sizeof(*t) + (count + WINDOW - 1) * sizeof(t->slots[0]));
        int error = 0;
        if (!t)
            return NULL;
        t->smaller = old;
        t->count = count;
        for (size_t i = 0; old && i < old->count + WINDOW - 1 && !error; i++) {
            uintptr_t address = atomic_load_explicit(&old->slots[i].address, memory_order_relaxed);
            if (address)
                error = put(t, address,
                            atomic_load_explicit(&old->slots[i].record, memory_order_relaxed));
        }
        if (!error)
            return t;
        free(t);
    }
    return NULL;
}

int thread_table_put(uintptr_t address, void *record)
{
    struct table *t = atomic_load_explicit(&current, memory_order_relaxed);
    int error = t ? put(t, address, record) : -ENOSPC;
    for (size_t count = t ? 2 * t->count : SLOTS_MIN; error == -ENOSPC; count *= 2) {
        struct table *larger = make(t, count);
        if (!larger)
            return -ENOMEM;
        error = put(larger, address, record);
        if (error) {
            free(larger);
            continue;
        }
        atomic_store_explicit(&current, larger, memory_order_release);
    }
    return error;
}

void thread_table_drop(uintptr_t address, const void *record)
{
    struct table *t = atomic_load_explicit(&current, memory_order_relaxed);
    struct slot *slot = t && address ? slot_with(t, address, address) : NULL;
    if (slot && atomic_load_explicit(&slot->record, memory_order_relaxed) == record)
        atomic_store_explicit(&slot->address, 0, memory_order_relaxed);
}

void thread_table_clear(void)
{
    struct table *t = atomic_exchange(&current, NULL);
    while (t) {
        struct table *smaller = t->smaller;
        free(t);
        t = smaller;
    }
}
