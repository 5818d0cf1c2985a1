/*
 * frozen_copy.h - a copy of a heap that a fork does not freeze.
 *
 * ZGC maps its heap shared, so a forked child would see what the program writes. Therefore the part
 * of the heap that is in use is copied, into memory that was taken and touched before. Where the
 * kernel tells which pages are written (frozen_track.h), it is copied while the program runs, and
 * inside the pause only what was written since; otherwise all of it is copied inside the pause. The
 * child maps the copy to the addresses of the heap in its own address space, and reads it like any
 * other heap. ZGC of one generation maps the heap three times: the program may write through each
 * of the three.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "agent/frozen/frozen_track.h"
#include "heapwalk/heap.h"

struct headroom;

enum { FROZEN_COPY_VIEWS = 3 };

struct frozen_copy {
    const struct heap *heap;
    unsigned char *map; /* NULL: there is no copy */
    uint64_t map_bytes;
    unsigned char *at;       /* aligned place in `map` where the copy begins */
    uint64_t bytes, touched; /* size of the room, and how much of it has memory already */
    /* For each granule of the heap its place in the copy, counted from 1; 0: it has none. */
    uint32_t *places;
    uint32_t used; /* places that are taken */
    /* For each place a bit for each page that is not in the copy as it is in the heap. */
    uint64_t *stale;
    struct frozen_track track;
    const char *why_inside;              /* why all is copied inside the pause; NULL: it is not */
    uint64_t before_bytes, inside_bytes; /* copied before and inside the pause */
    /* What the last pass of frozen_copy_prepare() copied: as much may have been written since. */
    uint64_t rest_bytes;
};

/**
 * Take memory for the part of the heap that is in use now, and a little more, and copy it if pages
 * can be watched. If memory is short, nothing is taken. `ranges` is scratch memory. Memory of the
 * heap is read by the kernel, because the collector may unmap it meanwhile. Context: the program
 * runs; no lock. Owner: frozen_copy_done(); `h` is borrowed.
 */
void frozen_copy_prepare(struct frozen_copy *c, const struct heap *h, struct heap_range *ranges,
                         uint32_t max, struct headroom *room);
/** Copy again what was written since. Context: the program runs. */
void frozen_copy_again(struct frozen_copy *c, struct heap_range *ranges, uint32_t max);
/** Copy what the copy lacks of `count` ranges. Returns NULL, or a static text that says why there
 * is no copy. Context: gc; nothing moves objects. */
const char *frozen_copy_take(struct frozen_copy *c, const struct heap_range *ranges, int64_t count,
                             struct headroom *room);
/** Called first in the child: the copy takes the place of the heap. */
void frozen_copy_place(const struct frozen_copy *c, const struct heap_range *ranges, int64_t count);
/** Give the memory back, and watch no more. The child keeps its own copy. */
void frozen_copy_done(struct frozen_copy *c);
