/*
 * frozen_copy.h - a copy of a heap that a fork does not freeze.
 *
 * ZGC maps its heap shared, so a forked child would see what the program writes. Therefore the part
 * of the heap that is in use is copied inside the pause, into memory that was taken and touched
 * before. The child maps this copy to the addresses of the heap in its own address space, and reads
 * it like any other heap.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "heapwalk/heap.h"

struct headroom;

struct frozen_copy {
    unsigned char *map; /* NULL: there is no copy */
    uint64_t map_bytes;
    unsigned char *at;       /* aligned place in `map` where the copy begins */
    uint64_t bytes, touched; /* size of the room, and how much of it has memory already */
};

/**
 * Take memory for the part of the heap that is in use now, and a little more. If memory is short,
 * nothing is taken. `ranges` is scratch memory. Context: the program runs; no lock.
 */
void frozen_copy_prepare(struct frozen_copy *c, const struct heap *h, struct heap_range *ranges,
                         uint32_t max, struct headroom *room);
/** Copy `count` ranges. Returns NULL, or a static text that says why there is no copy. Context: gc.
 */
const char *frozen_copy_take(struct frozen_copy *c, const struct heap_range *ranges, int64_t count,
                             struct headroom *room);
/** Called first in the child: the copy takes the place of the heap. */
void frozen_copy_place(const struct frozen_copy *c, const struct heap_range *ranges, int64_t count);
/** Give the memory back. The child keeps its own copy. */
void frozen_copy_done(struct frozen_copy *c);
