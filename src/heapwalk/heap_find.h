/*
 * heap_find.h - finds the objects of a heap that stands still: the reachable ones, or all.
 *
 * The caller gives the roots and the list of loaded classes. heap_find marks everything reachable
 * from the roots. If `with_unreachable` is set it then walks through the pieces of the heap and
 * marks the other objects too. At the end each found object has its mark, and each class of such an
 * object is in the table of classes.
 * Context of everything here: any, not signal; memory comes only from the arena and from mmap.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "heapwalk/heap_mark.h"

/**
 * A walk that finds every object, also unreachable ones.
 *
 * The walk goes through the pieces of the heap from object to object: the next object begins where
 * the last one ends. The marks of the reachable objects are its guide. If a header does not name a
 * loaded class, or an object would overlap a marked object, the walk goes on at the next marked
 * object and counts the bytes that it skipped. So no reachable object is ever missed, and nothing
 * without a class is taken for an object. Left out are: the unused ends of the threads' allocation
 * buffers (TLABs), objects that have been moved away, and the fillers with which the collector
 * closes gaps, if fillers have their own class (since JDK 19).
 * Source: HotSpot threadLocalAllocBuffer.hpp, collectedHeap.hpp, g1HeapRegion.hpp.
 */
struct heap_find_parse {
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

struct heap_find {
    /* set by the caller: */
    const struct heap *heap;
    struct arena *arena;
    const uint64_t *klasses; /* addresses; 0: the class was unloaded */
    uint32_t klass_count;
    struct heap_range *ranges; /* room for the pieces of the heap */
    uint32_t range_max;
    /* counted up while objects are searched, so that another thread sees progress; may be NULL */
    volatile uint64_t *seen;
    bool with_unreachable;
    /* The memory is another process's: an object whose class is not in the list is none, and
     * references that lead nowhere are only counted (mark.broken). */
    bool is_foreign;
    uint64_t bytes_max; /* bytes of the pieces of the heap, if is_foreign is set */
    /* results: */
    uint32_t range_count;
    struct heap_classes classes;
    struct heap_mark mark;
    struct heap_find_parse parse; /* valid if with_unreachable is set */
    const char *why;              /* the reason of an error, static text */
};

/** Read the classes. Errors: 0; -ENOMEM; E_FACT_MISSING; `why` says more. */
int heap_find_begin(struct heap_find *f);
/**
 * Mark everything reachable from the objects that the caller has marked with heap_mark_root(). If
 * `with_unreachable` is set, mark all other objects too.
 *
 * Errors:  0; -ENOMEM; E_VM_STATE; E_FACT_MISSING; `why` says more.
 */
int heap_find_run(struct heap_find *f);
/** Whether the address lies in the unused end of an allocation buffer. */
bool heap_find_is_gap(const struct heap_find_parse *w, uint64_t address);

/** The objects of one class. */
struct heap_find_sum {
    uint64_t objects, bytes;
};

/**
 * Count all marked objects. Objects of the class `find->klasses[i]` are added to ret_counts[i],
 * objects of any other class to ret_counts[find->klass_count]. Errors: 0, -ENOMEM.
 */
int heap_find_count(struct heap_find *find, struct heap_find_sum *ret_counts);
