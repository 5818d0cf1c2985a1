/*
 * blockset.h - which of the sampled blocks of native memory the program still holds.
 *
 * This is a table of addresses. Hooks of allocation functions add a block, and take it out when the
 * program frees it; an ordinary thread, the reader, then learns of its end. Any number of threads
 * use the table at once, also in signal handlers; none waits.
 *
 * A block has a slot in the bucket of 8 slots that its address names. If the bucket is full, the
 * block is not watched. For each bucket two words of `tags` hold 16 bits of each address, so that
 * the search for a block that is not there (nearly every free) reads 16 bytes.
 *
 * An address belongs to one owner at a time: the thread that got it from the allocator and has not
 * given it back. Therefore a block must be added after the allocator has returned it, and taken
 * before the allocator gets it back. In between only that owner can take it.
 *
 * The functions read and write only the memory of blockset_init(), which its owner maps before the
 * first hook runs and keeps for ever. The states of a slot are in its lowest bits: see blockset.c.
 * Context of everything here: signal, unless said otherwise.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BLOCKSET_LANES = 4, /* tags in a word */
    BLOCKSET_WORDS = 2, /* words of a bucket */
    BLOCKSET_BUCKET = BLOCKSET_LANES * BLOCKSET_WORDS,
    BLOCKSET_NONE = -1,
};

struct blockset_slot {
    _Atomic uint64_t address; /* and its state; 0: free */
    _Atomic uint64_t freed_ns;
};

struct blockset {
    _Atomic uint64_t *tags; /* BLOCKSET_WORDS for each bucket */
    struct blockset_slot *slots;
    uint32_t bucket_mask;
    _Atomic uint64_t freed; /* how many blocks have been freed since the start */
};

/** How many bytes hold `slots` slots, a power of two and at least BLOCKSET_BUCKET. Context: any. */
size_t blockset_bytes(uint32_t slots);
/** Prepare the table in zeroed memory of blockset_bytes(), aligned to 64 bytes. Context: any. */
void blockset_init(struct blockset *h, void *memory, uint32_t slots);
/** Forget all blocks. Context: any; no hook runs. */
void blockset_clear(struct blockset *h);

static inline uint64_t blockset_hash(uint64_t address)
{
    return (address >> 3) * UINT64_C(0x9e3779b97f4a7c15);
}

static inline uint64_t blockset_tag(uint64_t hash)
{
    uint64_t tag = hash >> 48;
    return tag ? tag : 1;
}

static inline uint32_t blockset_bucket(const struct blockset *h, uint64_t hash)
{
    return (uint32_t)(hash >> 16) & h->bucket_mask;
}

/* The lanes of a word that may hold the tag, as the highest bit of each lane. */
static inline uint64_t blockset_lanes(uint64_t word, uint64_t tag)
{
    const uint64_t ones = UINT64_C(0x0001000100010001);
    uint64_t x = word ^ tag * ones;
    return (x - ones) & ~x & ones << 15;
}

/** Whether the block may be in the table. If not, it is not. */
static inline bool blockset_may_have(const struct blockset *h, uint64_t address)
{
    uint64_t hash = blockset_hash(address), tag = blockset_tag(hash);
    const _Atomic uint64_t *words = h->tags + (size_t)blockset_bucket(h, hash) * BLOCKSET_WORDS;
    return (blockset_lanes(atomic_load_explicit(&words[0], memory_order_relaxed), tag) |
            blockset_lanes(atomic_load_explicit(&words[1], memory_order_relaxed), tag)) != 0;
}

/** Add a block that the allocator has returned. Returns its slot; BLOCKSET_NONE: there is no room.
 */
int32_t blockset_add(struct blockset *h, uint64_t address);
/** Remove a block that nobody was told of. */
void blockset_drop(struct blockset *h, int32_t slot);
/** Take a block that the allocator is about to get back. Returns its slot, which must go to
 * blockset_free() or blockset_put_back(); BLOCKSET_NONE: the block is not in the table. */
int32_t blockset_take(struct blockset *h, uint64_t address);
/** The allocator gets the block: the reader learns that it ended at `now_ns`. */
void blockset_free(struct blockset *h, int32_t slot, uint64_t now_ns);
/** The block in a slot that was taken. */
static inline uint64_t blockset_address(const struct blockset *h, int32_t slot)
{
    return atomic_load_explicit(&h->slots[slot].address, memory_order_relaxed) & ~(uint64_t)3;
}
/** The allocator has left the block where it was. */
void blockset_put_back(struct blockset *h, int32_t slot);

/** The next block from slot *at on that was freed; its slot stays taken until blockset_release().
 * BLOCKSET_NONE: there is none. Context: the reader. */
int32_t blockset_next_freed(struct blockset *h, uint32_t *at, uint64_t *ret_address,
                            uint64_t *ret_ns);
/** Let the slot of a block that was taken or freed be used again, when its end was told. */
void blockset_release(struct blockset *h, int32_t slot);
