/*
 * heapimage_copy.h - a copy of the used pieces of a JVM's heap, at addresses that differ from the
 * heap's by one number.
 *
 * The whole range that the JVM has reserved for objects is reserved here, too; what was not copied
 * reads as zeros. So code that follows references may read any address of the heap. Pages of a core
 * are mapped where they begin at a page of the core, as in cores of the kernel, and copied
 * otherwise, as in cores of gdb. struct mem of the copy also reads the rest of the memory.
 * Context of everything here: any, not signal. Two threads may read through `mem` at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/pair.h"
#include "heapwalk/heap.h"
#include "safe/mem.h"

struct mem_core;
struct mem_live;

struct heapimage_copy {
    struct mem mem;   /* the heap from the copy, everything else from `rest` */
    struct mem *rest; /* borrowed */
    /* For `rest`. No mutex: the two members of a pair are one thread for glibc, whose mutexes are
     * then not atomic. */
    struct pair_lock lock;
    uint64_t low, high; /* of the heap */
    unsigned char *base;
    size_t bytes;     /* of the reservation */
    uint64_t page;    /* address of the first page that is reserved */
    bool is_writable; /* the reader changes the copy (ZGC) */
    uint64_t missing; /* bytes of the used pieces that could not be had */
};

/**
 * Reserve the range, and set h->delta. `rest` is the memory that the heap belongs to.
 * Errors: 0; -ENOMEM; E_VM_STATE: no heap is as large.
 * Owner:  heapimage_copy_close(), after success.
 */
int heapimage_copy_open(struct heapimage_copy *c, struct heap *h, struct mem *rest);
/** After heap_stand_still(): the heap may have other addresses then (ZGC of one generation). */
void heapimage_copy_turn(struct heapimage_copy *c, struct heap *h);
void heapimage_copy_close(struct heapimage_copy *c);

/** Take the pieces from a core whose file is `path`. Errors: 0, -errno. */
int heapimage_copy_core(struct heapimage_copy *c, struct mem_core *core, const char *path,
                        const struct heap_range *ranges, uint32_t count);
/** Have memory for these pieces at hand, so that the copy takes less time. */
void heapimage_copy_prepare(struct heapimage_copy *c, const struct heap_range *ranges,
                            uint32_t count);
/** Copy the pieces from a process that stands. Errors: 0; -ETIMEDOUT: `is_over`, which is asked now
 * and then, has returned true. */
int heapimage_copy_live(struct heapimage_copy *c, struct mem_live *live,
                        const struct heap_range *ranges, uint32_t count,
                        bool (*is_over)(void *with), void *with);
