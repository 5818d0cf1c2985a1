/*
 * frozen_copy.h - a heap that a fork does not freeze: it is copied inside the pause.
 *
 * ZGC maps its heap shared, so a forked child sees what the program writes. What is in use is
 * copied into memory that was taken and touched before the pause; the child puts that copy where
 * the heap was, in its own address space, and reads it as any other heap.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "heapwalk/heap.h"

struct headroom;

struct frozen_copy {
    unsigned char *map; /* NULL none */
    uint64_t map_bytes;
    unsigned char *at;       /* aligned in it: */
    uint64_t bytes, touched; /* room, and how much of it has memory already */
};

/**
 * Take memory for what the heap has in use now and a little more; without room there is none.
 * `ranges` is scratch. Context: the program runs; no lock.
 */
void frozen_copy_prepare(struct frozen_copy *c, const struct heap *h, struct heap_range *ranges,
                         uint32_t max, struct headroom *room);
/** Copy `count` ranges. NULL, or why there is no copy: static text. Context: gc. */
const char *frozen_copy_take(struct frozen_copy *c, const struct heap_range *ranges, int64_t count,
                             struct headroom *room);
/** In the child, first of all: the copy becomes the heap. */
void frozen_copy_place(const struct frozen_copy *c, const struct heap_range *ranges, int64_t count);
/** Give the memory back; the child keeps its own. */
void frozen_copy_done(struct frozen_copy *c);
