/*
 * frozen_copy.c - see frozen_copy.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/frozen/frozen_copy.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/headroom.h"
#include "base/pages.h"
#include "safe/clock.h"

enum {
    LARGE = 2 << 20, /* size of a granule of ZGC and of a large page */
    TRIES = 3,       /* tries to read the list of pages, which changes meanwhile */
    MORE = 16,       /* room for growth: one 16th of what is in use, plus 16 granules */
    TURN = 64 << 20, /* bytes that are touched between two looks at the headroom */
};

/* The total length of all ranges. */
static uint64_t length_of(const struct heap_range *ranges, int64_t count)
{
    uint64_t bytes = 0;
    for (int64_t i = 0; i < count; i++)
        bytes += ranges[i].end - ranges[i].bottom;
    return bytes;
}

static const char *lacks(struct headroom *room, uint64_t bytes)
{
    headroom_look(room, clock_monotonic_ns());
    return headroom_lacks(room, bytes, 0);
}

/* Touches the room up to `wanted` bytes. Returns 1 if all of it has memory now. */
static int touch(struct frozen_copy *c, uint64_t wanted, struct headroom *room)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    while (c->touched < wanted) {
        uint64_t end = wanted - c->touched < TURN ? wanted : c->touched + TURN;
        if (lacks(room, end - c->touched))
            return 0;
        for (; c->touched < end; c->touched += page)
            *(volatile unsigned char *)(c->at + c->touched) = 0;
    }
    return 1;
}

void frozen_copy_prepare(struct frozen_copy *c, const struct heap *h, struct heap_range *ranges,
                         uint32_t max, struct headroom *room)
{
    int64_t count = -1;
    uint64_t wanted;
    *c = (struct frozen_copy){0};
    for (int i = 0; i < TRIES && count < 0; i++)
        count = heap_ranges(h, ranges, max);
    if (count < 0)
        return;
    wanted = length_of(ranges, count);
    wanted = (wanted + wanted / MORE + (uint64_t)MORE * LARGE) & ~(uint64_t)(LARGE - 1);
    if (lacks(room, wanted))
        return;
    /* memory behind `wanted` is touched only when the copy needs it */
    c->map_bytes = 2 * wanted + LARGE;
    c->map = pages_map_large(c->map_bytes);
    if (!c->map)
        return;
    c->at = (unsigned char *)(((uintptr_t)c->map + LARGE - 1) & ~(uintptr_t)(LARGE - 1));
    c->bytes = 2 * wanted;
    if (!touch(c, wanted, room))
        frozen_copy_done(c);
}

const char *frozen_copy_take(struct frozen_copy *c, const struct heap_range *ranges, int64_t count,
                             struct headroom *room)
{
    uint64_t bytes = count < 0 ? 0 : length_of(ranges, count), at = 0;
    if (!c->map)
        return "no memory for a copy of the heap";
    if (count <= 0)
        return "the pages of the heap";
    if (bytes > c->bytes)
        return "the heap has grown too fast to be copied";
    if (bytes > c->touched && lacks(room, bytes - c->touched))
        return "the heap has grown, and there is no memory for a copy";
    for (int64_t i = 0; i < count; i++) {
        const struct heap_range *r = &ranges[i];
        memcpy(c->at + at, (const void *)(uintptr_t)r->bottom, r->top - r->bottom);
        at += r->end - r->bottom;
    }
    return NULL;
}

/* First removes the whole shared heap from the child. A stray access then ends the child, and
 * cannot read what the program has written since. */
void frozen_copy_place(const struct frozen_copy *c, const struct heap_range *ranges, int64_t count)
{
    uint64_t low = ranges[0].bottom, high = ranges[count - 1].end, at = 0;
    if (mmap((void *)(uintptr_t)low, high - low, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        _exit(1);
    for (int64_t i = 0, from = 0; i < count; i++) {
        if (i + 1 < count && ranges[i + 1].bottom == ranges[i].end)
            continue; /* these ranges lie side by side in the copy, too */
        uint64_t bytes = ranges[i].end - ranges[from].bottom;

        if (mremap(c->at + at, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                   (void *)(uintptr_t)ranges[from].bottom) == MAP_FAILED)
            _exit(1);
        at += bytes;
        from = i + 1;
    }
}

void frozen_copy_done(struct frozen_copy *c)
{
    pages_unmap(c->map, c->map_bytes);
    *c = (struct frozen_copy){0};
}
