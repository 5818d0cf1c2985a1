/*
 * heap.h - the Java heap of a VM: its collector, its bounds, and the parts of it that are in use.
 *
 * Metadata is read through the memory of the target (struct mem). Objects are read directly at
 * their address plus `delta`. In the own process, or in a forked child of it, `delta` is 0; a
 * reader of another process or of a core maps a copy of the heap. Everything is valid only while
 * the VM stands still.
 * Source: HotSpot collectedHeap.hpp, defNewGeneration.hpp, psYoungGen.hpp, mutableSpace.hpp,
 * g1HeapRegion.hpp, heapRegionManager.hpp, shenandoahHeapRegion.hpp, zPage.hpp, zPageTable.hpp,
 * zAddress.hpp, zForwarding.hpp (ref_count), zRelocate.cpp, zGlobals.hpp (phases).
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
    HEAP_ZGC,   /* on x86-64: generational, and with one generation from JDK 17 on */
    HEAP_OTHER, /* CMS, Epsilon, ZGC elsewhere: this code cannot read them */
};

/**
 * A piece of the heap. Objects lie from `bottom` to `top`; from `top` to `end` there is nothing.
 */
struct heap_range {
    uint64_t bottom, top, end;
};

struct heap {
    const struct target *target;
    struct oops oops;
    enum heap_collector collector;
    uint64_t address;   /* of the VM's CollectedHeap object */
    uint64_t low, high; /* the address range reserved for objects */
    int64_t delta;      /* add it to an object's address to read the object */
    uint32_t reference_bytes;
    uint32_t align; /* alignment of objects in bytes */
    /* the table of pointers to regions (0: there is none), and how many regions or spaces
     * there are */
    uint64_t table, count;
    /* offsets in a region or space; ZGC: region_end is the end or the size */
    int32_t region_bottom, region_top, region_end;
    /* ZGC: log2 of the size of a granule; whether region_end is a size */
    int32_t granule_shift, region_has_size;
    /* ZGC: the colour of a reference that needs no look-up. With one generation it is the highest
     * bit of an object's address, too: the VM maps the heap once for each colour. */
    uint64_t good;
};

/** Whether the collector is ZGC with one generation. */
static inline bool heap_is_z_one(const struct heap *h)
{
    return h->collector == HEAP_ZGC && h->oops.refs.mover == HS_REFS_Z_ONE;
}

/** heap_reference() returns this for a reference whose object is not known. */
enum { HEAP_NOWHERE = 1 };

/**
 * Learn the collector and the bounds of the heap.
 *
 * Errors:  0; E_UNSUPPORTED: the heap of this collector cannot be read; E_FACT_MISSING. *ret_why
 *          says which (static text).
 * Owner:   borrows `t`.
 */
int heap_open(const struct target *t, struct heap *ret_heap, const char **ret_why);

/** Call it each time after the VM has been stopped. Notes the colour that references have now; with
 * ZGC of one generation `low` and `high` go with it. */
void heap_stand_still(struct heap *h);

/**
 * Whether the collector is moving objects, also while the VM stands: ZGC of one generation does not
 * stop its threads at a safepoint. It begins to move only at a safepoint of its own. So if this is
 * false when the VM stands, nothing is moved until it goes on. A forwarding that somebody uses is
 * one whose page is not yet empty. The VM may run meanwhile, if `target->mem` bears it. Other
 * collectors: false.
 */
bool heap_is_moving(const struct heap *h);

/**
 * The pieces that are in use, sorted by address. Writes at most `max`.
 *
 * Errors:  their count; E_VM_STATE: they make no sense; E_LIMIT: there are more than `max`.
 */
int64_t heap_ranges(const struct heap *h, struct heap_range *ret_ranges, uint32_t max);
/** The most pieces that heap_ranges() can return now. */
uint32_t heap_ranges_max(const struct heap *h);

/** The spaces of a heap with two generations, HEAP_SERIAL or HEAP_PARALLEL. */
enum heap_space { HEAP_OLD, HEAP_EDEN, HEAP_FROM, HEAP_TO, HEAP_SPACES };
/** Reads the spaces. Unlike the rest, this may be called while the VM runs: a space that changes
 * meanwhile makes no sense. Returns false if the heap has no such spaces, or they make no sense. */
bool heap_spaces(const struct heap *h, struct heap_range ret_spaces[HEAP_SPACES]);

static inline bool heap_has(const struct heap *h, uint64_t address)
{
    return address - h->low < h->high - h->low;
}

/** Whether a word of a stack may be a reference, with a colour or without; heap_mark_guess() finds
 * its object. */
static inline bool heap_may_lead(const struct heap *h, uint64_t word)
{
    const struct hs_refs *r = &h->oops.refs;
    if (heap_is_z_one(h)) /* a colour is a bit of the address */
        return (word & r->colours) != 0 && (word & ~(r->offset_mask | r->colours)) == 0 &&
               (word & 7) == 0;
    if (h->collector == HEAP_ZGC && word >> 48 != 0)
        return word >> 62 == 0;
    return heap_has(h, word) && (word & 7) == 0;
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

/** Like heap_of_word(), for a heap of ZGC, whose references have colours. */
uint64_t heap_of_coloured(const struct heap *h, uint64_t word);

/**
 * Decodes a reference of 8 bytes, from the heap or from a handle. 0: null; HEAP_NOWHERE: the object
 * is not known. A reference that is decoded already stays as it is.
 */
static inline uint64_t heap_of_word(const struct heap *h, uint64_t word)
{
    return h->collector == HEAP_ZGC ? heap_of_coloured(h, word) : word;
}

/** The new place of an object that is being moved; the object itself if it stays. */
static inline uint64_t heap_resolve(const struct heap *h, uint64_t object)
{
    uint64_t mark;
    if (h->collector != HEAP_SHENANDOAH || !heap_has(h, object))
        return object;
    mark = heap_u8(h, object);
    return (mark & 3) == 3 && heap_has(h, mark & ~(uint64_t)3) ? mark & ~(uint64_t)3 : object;
}

/** Reads and decodes the reference at `address` in the heap; 0: null. */
static inline uint64_t heap_reference(const struct heap *h, uint64_t address)
{
    if (h->reference_bytes == 4) {
        uint64_t narrow = heap_u4(h, address);
        return narrow == 0 ? 0 : h->oops.refs.base + (narrow << h->oops.refs.shift);
    }
    return heap_of_word(h, heap_u8(h, address));
}

/** The Klass of an object. The object must be resolved (heap_resolve()). */
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
