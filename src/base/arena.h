/*
 * arena.h - bump memory with a budget: allocations are never freed one by one, only all at once.
 *
 * An arena takes its pages from mmap, so an allocation here never touches the application's malloc.
 * When the budget is used up, arena_alloc() returns NULL: the caller counts the loss and goes on.
 * An arena is not thread-safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks;
    size_t budget; /* bytes that the arena may take from the system in all */
    size_t taken;  /* bytes taken so far */
};

void arena_init(struct arena *a, size_t budget);
void arena_done(struct arena *a);
/** Free everything that arena_alloc() returned, but keep one block for later allocations. */
void arena_reset(struct arena *a);
/** `size` zeroed bytes, 16-byte aligned, or NULL when the budget or the system has no more. */
void *arena_alloc(struct arena *a, size_t size);
