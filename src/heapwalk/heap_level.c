/*
 * heap_level.c - see heap_level.h.
 *
 * GCCauseSetter moves the cause to lastCause when a collection ends. Some collectors do this before
 * the event of JVM TI, some after it. Source: HotSpot gcCause.hpp, collectedHeap.cpp
 * (set_gc_cause).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapwalk/heap_level.h"
#include <stdlib.h>
#include <string.h>
#include "heapwalk/heap.h"
#include "hotspot/perf_counter.h"
#include "hotspot/target.h"
#include "safe/mem.h"

struct heap_level {
    struct target target;
    struct heap heap;
    struct heap_range *ranges; /* NULL: the heap cannot be read */
    uint32_t range_max;
    uint64_t cause, last_cause; /* addresses of text; 0 unknown */
    const char *why_not;
};

static void find_heap(struct heap_level *h)
{
    if (heap_open(&h->target, &h->heap, &h->why_not) != 0)
        return;
    h->range_max = heap_ranges_max(&h->heap);
    h->ranges = malloc(h->range_max * sizeof(*h->ranges));
    h->why_not = h->ranges ? NULL : "there is no memory";
}

struct mem *heap_level_mem(const struct heap_level *h)
{
    return h->target.mem;
}

uint64_t heap_level_counters(const struct heap_level *h)
{
    return target_static_value(&h->target, "PerfMemory", "_start", sizeof(uint64_t));
}

static void find_causes(struct heap_level *h)
{
    uint64_t start = heap_level_counters(h);
    h->cause = perf_counter_find_text(h->target.mem, start, "sun.gc.cause");
    h->last_cause = perf_counter_find_text(h->target.mem, start, "sun.gc.lastCause");
}

struct heap_level *heap_level_open(void)
{
    struct heap_level *h = calloc(1, sizeof(*h));
    if (!h)
        return NULL;
    if (target_open_self(&h->target, &h->why_not) == 0) {
        find_heap(h);
        find_causes(h);
    }
    return h;
}

void heap_level_close(struct heap_level *h)
{
    if (!h)
        return;
    target_close(&h->target);
    free(h->ranges);
    free(h);
}

const char *heap_level_why_not(const struct heap_level *h)
{
    return h->why_not;
}

uint64_t heap_level_used(struct heap_level *h)
{
    uint64_t used = 0;
    if (!h->ranges)
        return 0;
    heap_stand_still(&h->heap);
    int64_t count = heap_ranges(&h->heap, h->ranges, h->range_max);

    for (int64_t i = 0; i < count; i++)
        used += h->ranges[i].top - h->ranges[i].bottom;
    return used;
}

/* Read the text at `address`. Returns whether it names a cause. */
static int read_cause(struct heap_level *h, uint64_t address, char ret_cause[HEAP_LEVEL_CAUSE])
{
    if (!address || mem_read(h->target.mem, address, ret_cause, HEAP_LEVEL_CAUSE - 1) != 0)
        return 0;
    ret_cause[HEAP_LEVEL_CAUSE - 1] = '\0';
    return ret_cause[0] && strcmp(ret_cause, "No GC") != 0;
}

void heap_level_cause(struct heap_level *h, char ret_cause[HEAP_LEVEL_CAUSE])
{
    static const char unknown[] = "unknown";
    if (!read_cause(h, h->cause, ret_cause) && !read_cause(h, h->last_cause, ret_cause))
        memcpy(ret_cause, unknown, sizeof(unknown));
}
