/*
 * blockset.c - see blockset.h.
 *
 * The word of a slot is 0, or the address of a block, which is a multiple of 8, and a state. A
 * block goes from HELD to TAKEN, and from there back to HELD, or to 0, or on to FREED; only the
 * reader makes a FREED slot 0 again. The tag of a block is in its lane while it is HELD. A lane may
 * keep or lack a tag for a moment while its slot changes; what counts is the slot's word.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/blockset.h"
#include <string.h>

enum {
    HELD = 0,
    TAKEN = 1,
    FREED = 2,
    STATES = 3,
    /* The bound of the loop that changes one lane of a word. Each try fails only because another
     * thread has changed the word. */
    TRIES = 1 << 16,
};

static const uint64_t lane_bits = 0xffff;

size_t blockset_bytes(uint32_t slots)
{
    return (size_t)slots / BLOCKSET_LANES * sizeof(uint64_t) +
           (size_t)slots * sizeof(struct blockset_slot);
}

void blockset_init(struct blockset *h, void *memory, uint32_t slots)
{
    *h = (struct blockset){.tags = memory, .bucket_mask = slots / BLOCKSET_BUCKET - 1};
    h->slots = (struct blockset_slot *)((char *)memory +
                                        (size_t)slots / BLOCKSET_LANES * sizeof(uint64_t));
}

void blockset_clear(struct blockset *h)
{
    size_t slots = ((size_t)h->bucket_mask + 1) * BLOCKSET_BUCKET;
    memset((void *)h->tags, 0, blockset_bytes((uint32_t)slots));
    atomic_store(&h->freed, 0);
}

/* Write the tag of a slot; 0: none. Returns whether it was written. */
static bool set_tag(struct blockset *h, int32_t slot, uint64_t tag)
{
    _Atomic uint64_t *word = &h->tags[slot / BLOCKSET_LANES];
    unsigned shift = (unsigned)slot % BLOCKSET_LANES * 16;
    uint64_t before = atomic_load_explicit(word, memory_order_relaxed);
    for (int i = 0; i < TRIES; i++)
        if (atomic_compare_exchange_weak(word, &before,
                                         (before & ~(lane_bits << shift)) | tag << shift))
            return true;
    return false;
}

int32_t blockset_add(struct blockset *h, uint64_t address)
{
    uint64_t hash = blockset_hash(address);
    int32_t first = (int32_t)(blockset_bucket(h, hash) * BLOCKSET_BUCKET);
    if ((address & STATES) != 0)
        return BLOCKSET_NONE;
    for (int32_t slot = first; slot < first + BLOCKSET_BUCKET; slot++) {
        uint64_t unused = 0;
        if (!atomic_compare_exchange_strong(&h->slots[slot].address, &unused, address | HELD))
            continue;
        if (set_tag(h, slot, blockset_tag(hash)))
            return slot;
        atomic_store(&h->slots[slot].address, 0);
        return BLOCKSET_NONE;
    }
    return BLOCKSET_NONE;
}

void blockset_drop(struct blockset *h, int32_t slot)
{
    set_tag(h, slot, 0);
    atomic_store(&h->slots[slot].address, 0);
}

int32_t blockset_take(struct blockset *h, uint64_t address)
{
    uint64_t hash = blockset_hash(address), tag = blockset_tag(hash);
    int32_t first = (int32_t)(blockset_bucket(h, hash) * BLOCKSET_BUCKET);
    for (int32_t word = 0; word < BLOCKSET_WORDS; word++) {
        uint64_t lanes = blockset_lanes(atomic_load(&h->tags[first / BLOCKSET_LANES + word]), tag);
        for (int32_t lane = 0; lane < BLOCKSET_LANES; lane++) {
            int32_t slot = first + word * BLOCKSET_LANES + lane;
            uint64_t there = address | HELD;
            if (!(lanes >> (lane * 16 + 15) & 1) ||
                !atomic_compare_exchange_strong(&h->slots[slot].address, &there, address | TAKEN))
                continue;
            set_tag(h, slot, 0);
            return slot;
        }
    }
    return BLOCKSET_NONE;
}

void blockset_free(struct blockset *h, int32_t slot, uint64_t now_ns)
{
    uint64_t address = atomic_load(&h->slots[slot].address) & ~(uint64_t)STATES;
    atomic_store(&h->slots[slot].freed_ns, now_ns);
    atomic_store(&h->slots[slot].address, address | FREED);
    atomic_fetch_add(&h->freed, 1);
}

void blockset_put_back(struct blockset *h, int32_t slot)
{
    uint64_t address = atomic_load(&h->slots[slot].address) & ~(uint64_t)STATES;
    atomic_store(&h->slots[slot].address, address | HELD);
    set_tag(h, slot, blockset_tag(blockset_hash(address)));
}

int32_t blockset_next_freed(struct blockset *h, uint32_t *at, uint64_t *ret_address,
                            uint64_t *ret_ns)
{
    uint32_t end = (h->bucket_mask + 1) * BLOCKSET_BUCKET;
    for (uint32_t slot = *at; slot < end; slot++) {
        uint64_t word = atomic_load_explicit(&h->slots[slot].address, memory_order_acquire);
        if ((word & STATES) != FREED)
            continue;
        *at = slot + 1;
        *ret_address = word & ~(uint64_t)STATES;
        *ret_ns = atomic_load_explicit(&h->slots[slot].freed_ns, memory_order_relaxed);
        return (int32_t)slot;
    }
    *at = end;
    return BLOCKSET_NONE;
}

void blockset_release(struct blockset *h, int32_t slot)
{
    atomic_store(&h->slots[slot].address, 0);
}
