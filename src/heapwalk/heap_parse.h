/*
 * heap_parse.h - every object of a heap, also those that nobody can reach any more.
 *
 * Goes through the pieces of the heap from object to object, where one ends the next begins. What
 * has been marked is the guide: where a header does not name a class that is loaded, or an object
 * would reach over a marked one, the walk goes on at the next marked object, and counts what it
 * passed over. So no reachable object is ever missed, and nothing is called an object that has no
 * class. Left out are the unused ends of the threads' allocation buffers, objects that have been
 * moved away, and the fillers by which the collector closes gaps, where they have a class of their
 * own (from JDK 19 on).
 * Source: HotSpot threadLocalAllocBuffer.hpp, collectedHeap.hpp, g1HeapRegion.hpp.
 * Context of everything here: any, not signal. Memory comes from an arena.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "heapwalk/heap_mark.h"
#include <stdbool.h>
#include <stdint.h>

struct heap_parse {
    struct heap_mark *mark;  /* borrowed: all classes are in, what is found gets its bit */
    struct heap_range *gaps; /* unused ends of allocation buffers: from `top` to `end`, sorted */
    uint32_t gap_count, gap_max;
    uint64_t objects, bytes; /* that were not marked and are now */
    uint64_t reached;        /* that were marked before */
    uint64_t fillers;        /* left out */
    uint64_t jumps, skipped; /* times, bytes: passed over, because there was no object */
    const struct heap_range *ranges;
    uint32_t range_count, range; /* the one at hand */
    uint32_t gap;                /* the next gap */
};

/** Find the gaps. Errors: 0; -ENOMEM; E_FACT_MISSING. */
int heap_parse_init(struct heap_parse *w, struct heap_mark *mark);
/** Walk through all of `ranges`, as heap_ranges() gives them. Marks every object. */
void heap_parse_run(struct heap_parse *w, const struct heap_range *ranges, uint32_t count);
/** Whether the address lies in the unused end of an allocation buffer. */
bool heap_parse_is_gap(const struct heap_parse *w, uint64_t address);
