/*
 * heap.h - the Java heap of a VM: its collector, its bounds, which parts of it are in use.
 *
 * Metadata is read through the target's memory; objects lie at their address plus `delta`, so that
 * a reader of the own process, or of a frozen child of it, pays nothing, and a reader of another
 * process or of a core maps a copy of the heap. Valid only while the VM stands still.
 * Source: HotSpot collectedHeap.hpp, defNewGeneration.hpp, psYoungGen.hpp, mutableSpace.hpp,
 * g1HeapRegion.hpp, heapRegionManager.hpp, shenandoahHeapRegion.hpp, zPage.hpp, zPageTable.hpp,
 * zAddress.hpp.
 * Context of everything here: any, not signal. Nothing here allocates.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "hotspot/oops.h"

struct target;

enum heap_collector {
    HEAP_SERIAL,
    HEAP_PARALLEL,
    HEAP_G1,
    HEAP_SHENANDOAH,
    HEAP_ZGC,   /* generational, on x86-64 */
    HEAP_OTHER, /* ZGC of one generation, CMS, Epsilon: not readable here */
};

/** A piece of the heap: objects lie from bottom to top, nothing lies from top to end. */
struct heap_range {
    uint64_t bottom, top, end;
};

struct heap {
    const struct target *target;
    struct oops oops;
    enum heap_collector collector;
    uint64_t address;   /* of the CollectedHeap */
    uint64_t low, high; /* what is reserved for objects */
    int64_t delta;      /* from an object's address to where we see it */
    uint32_t reference_bytes;
    uint32_t align; /* of objects, bytes */
    /* where the regions or spaces are */
    uint64_t table, count;                         /* of pointers to regions */
    int32_t region_bottom, region_top, region_end; /* ZGC: the end, or the size */
    /* ZGC */
    int32_t granule_shift, region_has_size; /* log2 of a granule; region_end is a size */
    uint64_t good;                          /* the colour of a reference that needs no look-up */
};

/** What heap_reference() gives for a reference of which nobody knows where it leads. */
enum { HEAP_NOWHERE = 1 };

/**
 * Learn the heap's collector and bounds.
 *
 * Errors: 0; E_UNSUPPORTED a collector that cannot be read, E_FACT_MISSING; *ret_why says which
 *         (static text). Owner: borrows `t`.
 */
int heap_open(const struct target *t, struct heap *ret_heap, const char **ret_why);

/** Note what only stays as it is while the VM stands still, and may have changed since. */
void heap_stand_still(struct heap *h);

/**
 * The pieces in use, by address. Writes at most `max`.
 * Errors: their count; E_VM_STATE when they make no sense; E_LIMIT more than `max`.
 */
int64_t heap_ranges(const struct heap *h, struct heap_range *ret_ranges, uint32_t max);
/** The most pieces that heap_ranges() can give now. */
uint32_t heap_ranges_max(const struct heap *h);

static inline bool heap_has(const struct heap *h, uint64_t address)
{
    return address - h->low < h->high - h->low;
}

static inline const unsigned char *heap_bytes(const struct heap *h, uint64_t address)
{
    return (const unsigned char *)(uintptr_t)(address + (uint64_t)h->delta);
}

static inline uint64_t heap_u8(const struct heap *h, uint64_t address)
{
    uint64_t value;
    memcpy(&value, heap_bytes(h, address), sizeof(value));
    return value;
}

static inline uint32_t heap_u4(const struct heap *h, uint64_t address)
{
    uint32_t value;
    memcpy(&value, heap_bytes(h, address), sizeof(value));
    return value;
}

/** As heap_of_word(), for a word that a collector may have coloured. */
uint64_t heap_of_coloured(const struct heap *h, uint64_t word);

/**
 * A reference of 8 bytes, in the heap or in a handle, decoded: 0 null, HEAP_NOWHERE not known. One
 * that is decoded already stays as it is.
 */
static inline uint64_t heap_of_word(const struct heap *h, uint64_t word)
{
    return h->collector == HEAP_ZGC ? heap_of_coloured(h, word) : word;
}

/** Where an object that is being moved has gone; the object itself if it stays. */
static inline uint64_t heap_resolve(const struct heap *h, uint64_t object)
{
    uint64_t mark;
    if (h->collector != HEAP_SHENANDOAH || object == 0)
        return object;
    mark = heap_u8(h, object);
    return (mark & 3) == 3 && heap_has(h, mark & ~(uint64_t)3) ? mark & ~(uint64_t)3 : object;
}

/** The reference at `address` in the heap, decoded; 0 null. */
static inline uint64_t heap_reference(const struct heap *h, uint64_t address)
{
    if (h->reference_bytes == 4) {
        uint64_t narrow = heap_u4(h, address);
        return narrow == 0 ? 0 : h->oops.refs.base + (narrow << h->oops.refs.shift);
    }
    return heap_of_word(h, heap_u8(h, address));
}

/** The class of an object (which must be resolved). */
static inline uint64_t heap_klass(const struct heap *h, uint64_t object)
{
    if (h->oops.refs.header == HS_REFS_HEADER_FULL)
        return heap_u8(h, object + 8);
    uint64_t narrow = h->oops.refs.header == HS_REFS_HEADER_COMPACT
                          ? heap_u8(h, object) >> h->oops.refs.compact_shift
                          : heap_u4(h, object + 8);
    return h->oops.refs.klass_base + (narrow << h->oops.refs.klass_shift);
}

static inline uint32_t heap_array_length(const struct heap *h, uint64_t array)
{
    return heap_u4(h, array + (uint64_t)h->oops.array_length);
}
