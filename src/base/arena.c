/*
 * arena.c - bump memory from mmap: see arena.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/arena.h"
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum {
    BLOCK_BYTES = 256 * 1024, /* bytes that one mmap takes; 64 pages */
    PAGE_BYTES = 4096,        /* mmap rounds up where pages are larger */
    ALIGN = 16,
};

/* The head of a block. arena_alloc() hands out the memory behind the head from front to back. */
struct arena_block {
    struct arena_block *next;
    size_t size, used; /* sizes of the block, this head included */
    size_t pad;        /* keeps the head a multiple of ALIGN */
};

_Static_assert(sizeof(struct arena_block) % ALIGN == 0, "the first allocation must be aligned");

void arena_init(struct arena *a, size_t budget)
{
    *a = (struct arena){.budget = budget};
}

void arena_done(struct arena *a)
{
    struct arena_block *next;
    for (struct arena_block *b = a->blocks; b; b = next) {
        next = b->next;
        munmap(b, b->size);
    }
    *a = (struct arena){.budget = a->budget};
}

void arena_reset(struct arena *a)
{
    struct arena_block *kept = NULL;
    struct arena_block *next;
    for (struct arena_block *b = a->blocks; b; b = next) {
        next = b->next;
        if (!kept && b->size <= BLOCK_BYTES) {
            kept = b;
        } else {
            a->taken -= b->size;
            munmap(b, b->size);
        }
    }
    a->blocks = kept;
    if (kept) {
        memset(kept + 1, 0, kept->used - sizeof(*kept));
        kept->used = sizeof(*kept);
        kept->next = NULL;
    }
}

static struct arena_block *take_block(struct arena *a, size_t need)
{
    size_t size = (need + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    size_t left = (a->budget - a->taken) / PAGE_BYTES * PAGE_BYTES;
    if (size > left)
        return NULL;
    if (size < BLOCK_BYTES)
        size = left < BLOCK_BYTES ? left : BLOCK_BYTES;
    struct arena_block *b =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (b == MAP_FAILED)
        return NULL;
    *b = (struct arena_block){.size = size, .used = sizeof(*b)};
    a->taken += size;
    return b;
}

void *arena_alloc(struct arena *a, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + ALIGN - 1) / ALIGN * ALIGN;
    if (size == 0)
        size = ALIGN; /* so that two allocations never share an address */
    struct arena_block *b = a->blocks;
    if (!b || size > b->size - b->used) {
        struct arena_block *fresh = take_block(a, size + sizeof(*b));
        if (!fresh)
            return NULL;
        /* The block with more room stays at the front of the list, so no room is wasted. */
        if (b && fresh->size - fresh->used - size < b->size - b->used) {
            fresh->next = b->next;
            b->next = fresh;
        } else {
            fresh->next = b;
            a->blocks = fresh;
        }
        b = fresh;
    }
    void *at = (unsigned char *)b + b->used;
    b->used += size;
    return at;
}
