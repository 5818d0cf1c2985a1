/*
 * heap_parse.h - finds every object of a heap, also unreachable ones.
 *
 * The walk goes through the pieces of the heap from object to object: the next object begins where
 * the last one ends. The marks of the reachable objects are its guide. If a header does not name a
 * loaded class, or an object would overlap a marked object, the walk goes on at the next marked
 * object and counts the bytes that it skipped. So no reachable object is ever missed, and nothing
 * without a class is taken for an object. Left out are: the unused ends of the threads' allocation
 * buffers (TLABs), objects that have been moved away, and the fillers with which the collector
 * closes gaps, if fillers have their own class (since JDK 19).
 * Source: HotSpot threadLocalAllocBuffer.hpp, collectedHeap.hpp, g1HeapRegion.hpp.
 * Context of everything here: any, not signal. Memory comes from an arena.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "heapwalk/heap_mark.h"
#include <stdbool.h>
#include <stdint.h>

struct heap_parse {
    /* borrowed; knows all classes; each found object gets its bit */
    struct heap_mark *mark;
    /* the unused ends of allocation buffers, each from `top` to `end`; sorted */
    struct heap_range *gaps;
    uint32_t gap_count, gap_max;
    uint64_t objects, bytes; /* objects that were not marked and are marked now */
    uint64_t reached;        /* objects that were marked before */
    uint64_t fillers;        /* objects left out */
    uint64_t jumps, skipped; /* how often, and how many bytes, the walk skipped */
    const struct heap_range *ranges;
    uint32_t range_count, range; /* index of the current range */
    uint32_t gap;                /* index of the next gap */
};

/** Find the gaps. Errors: 0; -ENOMEM; E_FACT_MISSING. */
int heap_parse_init(struct heap_parse *w, struct heap_mark *mark);
/** Walk through all `ranges`, which come from heap_ranges(), and mark every object. */
void heap_parse_run(struct heap_parse *w, const struct heap_range *ranges, uint32_t count);
/** Whether the address lies in the unused end of an allocation buffer. */
bool heap_parse_is_gap(const struct heap_parse *w, uint64_t address);
