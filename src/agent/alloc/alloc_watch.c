/*
 * alloc_watch.c - see alloc_watch.h.
 *
 * The value that counts here is the memory that is left, minus the part of the heap that has no
 * pages yet. When the heap grows into its reserved memory, both numbers fall alike, so the value
 * stays the same. The value falls when the VM takes memory for tags or for something else.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/alloc/alloc_watch.h"
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/headroom.h"
#include "base/lock.h"
#include "heapwalk/heap.h"
#include "hotspot/target.h"
#include "safe/clock.h"

enum {
    STEP = 64,            /* a row adds its objects to the sum of all rows after so many */
    LOOK = 1 << 12,       /* objects between two looks; their tags are half a megabyte */
    PIECE = 512,          /* pages about which one system call asks */
    PIECES_MAX = 1 << 11, /* in a larger heap only so many pieces are asked for, evenly spread */
};

static struct {
    struct headroom headroom; /* open while the watch runs */
    int runs;
    uint64_t low, high; /* the heap; 0: not known */
    uint64_t first;     /* the value of the head of this file, at the start */
    struct lock lock;
    _Atomic uint64_t objects;
    const char *_Atomic full;
    char text[HEADROOM_TEXT]; /* the text of `full`, written the first time that memory was short */
} watch = {.lock = LOCK_INIT(TAG_WATCH)};

const char *alloc_watch_full(void)
{
    return atomic_load_explicit(&watch.full, memory_order_acquire);
}

/* Bytes of the heap that have no pages yet. The function asks the kernel about the pages and does
 * not touch them. */
static uint64_t heap_untouched(void)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), pages = (watch.high - watch.low) / page;
    uint64_t pieces = (pages + PIECE - 1) / PIECE, asked = 0, missing = 0;
    uint64_t step = (pieces + PIECES_MAX - 1) / PIECES_MAX;
    for (uint64_t at = 0; at < pages; at += step * PIECE) {
        uint64_t count = pages - at < PIECE ? pages - at : PIECE;
        unsigned char there[PIECE];
        asked += count;
        if (mincore((void *)(uintptr_t)(watch.low + at * page), count * page, there) != 0) {
            missing += count; /* a part of the piece is not even mapped */
            continue;
        }
        for (uint64_t i = 0; i < count; i++)
            missing += !(there[i] & 1);
    }
    return asked ? (uint64_t)((double)missing / (double)asked * (double)(pages * page)) : 0;
}

/* Memory that the tags may take soon: half of what they have taken so far, because their table
 * grows in large steps. */
static uint64_t tags_need(uint64_t left, uint64_t untouched)
{
    uint64_t now = left > untouched ? left - untouched : 0;
    return now < watch.first ? (watch.first - now) / 2 : 0;
}

/* If there is room even when the whole heap counts as untouched, the kernel need not be asked about
 * the pages. */
static const char *lacks(void)
{
    uint64_t size = watch.high - watch.low, left;
    const char *full;
    headroom_look(&watch.headroom, clock_monotonic_ns());
    full = headroom_lacks(&watch.headroom, 0, 0);
    left = headroom_group_left(&watch.headroom);
    if (full || left == UINT64_MAX)
        return full;
    if (!headroom_group_lacks(&watch.headroom, size + tags_need(left, size)))
        return NULL;
    size = size ? heap_untouched() : 0;
    return headroom_group_lacks(&watch.headroom, size + tags_need(left, size));
}

static void look(void)
{
    const char *full = lacks();
    if (full && !alloc_watch_full()) {
        snprintf(watch.text, sizeof(watch.text), "%s", full);
        atomic_store_explicit(&watch.full, watch.text, memory_order_release);
    }
}

bool alloc_watch_no_collection(void)
{
    bool full;
    lock_take(&watch.lock);
    headroom_look(&watch.headroom, clock_monotonic_ns());
    full = headroom_group_left(&watch.headroom) != UINT64_MAX &&
           headroom_group_lacks(&watch.headroom, watch.high ? heap_untouched() : 0);
    lock_give(&watch.lock);
    return full;
}

void alloc_watch_count(uint64_t objects)
{
    uint64_t before;
    if (objects % STEP != 0 || alloc_watch_full())
        return;
    before = atomic_fetch_add_explicit(&watch.objects, STEP, memory_order_relaxed);
    if (before / LOOK == (before + STEP) / LOOK || !lock_try(&watch.lock))
        return;
    look();
    lock_give(&watch.lock);
}

/* If the heap cannot be read, or is a part of the reserved memory (ZGC), the code assumes that the
 * VM has touched all of the heap. */
static void find_heap(void)
{
    struct target target;
    struct heap heap;
    const char *why;
    if (target_open_self(&target, &why) == 0 && heap_open(&target, &heap, &why) == 0 &&
        heap.collector != HEAP_ZGC) {
        watch.low = heap.low;
        watch.high = heap.high;
    }
    target_close(&target);
}

void alloc_watch_stop(void)
{
    if (!watch.runs)
        return;
    headroom_close(&watch.headroom);
    watch.runs = 0;
    watch.low = watch.high = watch.first = 0;
    watch.objects = 0;
    watch.full = NULL;
}

void alloc_watch_start(void)
{
    uint64_t left, untouched;
    watch.runs = 1;
    headroom_open(&watch.headroom, "/proc");
    left = headroom_group_left(&watch.headroom);
    if (left != UINT64_MAX)
        find_heap();
    untouched = watch.high ? heap_untouched() : 0;
    watch.first = left > untouched ? left - untouched : 0;
    look();
}
