/*
 * hs_refs.h - from a reference in the Java heap to the object it means, without touching either.
 *
 * There are two ways. hs_refs_narrow() and hs_refs_word() decode what is written; a collector that
 * moves objects while the program runs may have moved the object. hs_refs_load() also finds where
 * the object went, as the collector's own barrier would, but heals nothing:
 * - Serial, Parallel, G1 move objects only while the whole program stands;
 * - Shenandoah leaves the new address in the old copy's mark word, and the old copy stays until no
 *   reference leads to it;
 * - ZGC says in each reference (its colour) which collection last saw it. A colour that is not the
 *   current one means: ask the table of that collection, which lives as long as such references do.
 *   A page that is in no table did not move; an object that has no entry yet has not moved yet.
 * Reads: the reference, the object's mark word, ZGC's masks and tables. All of this can change
 * under our eyes, so whoever uses an object asks again afterwards and compares.
 * Source: HotSpot compressedOops.hpp, markWord.hpp, shenandoahForwarding.inline.hpp, zAddress.hpp,
 * zBarrier.inline.hpp, zForwarding.inline.hpp, zForwardingEntry.hpp, zHash.inline.hpp (and their
 * single-generation forms, gc/x, of JDK 21).
 * Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct mem_view;

enum hs_refs_header {
    HS_REFS_HEADER_FULL,       /* a Klass* of 8 bytes */
    HS_REFS_HEADER_COMPRESSED, /* 4 bytes */
    HS_REFS_HEADER_COMPACT,    /* in the upper bits of the mark word */
};

/** Who moves objects. */
enum hs_refs_mover {
    HS_REFS_UNKNOWN, /* hs_refs_load() always fails */
    HS_REFS_STOPPED, /* only while the program stands */
    HS_REFS_SHENANDOAH,
    HS_REFS_Z_ONE, /* ZGC of one generation */
    HS_REFS_Z_TWO, /* generational ZGC */
};

/** Where ZGC keeps what it moved: an array of ZForwarding*, one for each granule of the heap. */
struct hs_refs_table {
    uint64_t map, granules;
};

struct hs_refs {
    uint8_t is_x86;     /* ZGC places a reference's colour by the CPU */
    bool is_compressed; /* references in the heap have 4 bytes */
    enum hs_refs_header header;
    enum hs_refs_mover mover;
    uint32_t shift, klass_shift;
    uint64_t base, klass_base;
    uint32_t compact_shift; /* where the class is in a compact header */
    uint32_t z_shift;  /* generational ZGC: how far to shift; see hs_refs_word(); 0 it is not */
    uint64_t z_mask;   /* the bits that are an address in single-generation ZGC; 0 none */
    uint64_t z_colour; /* what to put above them */

    /* for hs_refs_load() with ZGC */
    uint64_t good_at;               /* address of the mask of current colours */
    uint64_t offset_mask;           /* the bits of an address that are an offset in the heap */
    uint64_t colours;               /* one generation: all the bits of colours */
    uint32_t granule_shift;         /* log2 of a granule's bytes */
    struct hs_refs_table tables[2]; /* young and old; one generation: the first */
    struct {
        int32_t start, align, length, size;
    } forwarding; /* offsets in a ZForwarding, and its size */
};

/** A compressed reference, decoded. 0 null. */
static inline uint64_t hs_refs_narrow(const struct hs_refs *r, uint32_t narrow)
{
    return narrow == 0 ? 0 : r->base + ((uint64_t)narrow << r->shift);
}

/** A reference of 8 bytes in the heap, or outside of it but not on a stack, decoded. 0 null. */
uint64_t hs_refs_word(const struct hs_refs *r, uint64_t word);

/** The class of an object that was not moved; 0 if it is not readable. */
uint64_t hs_refs_klass(struct mem_view *v, const struct hs_refs *r, uint64_t object);

/**
 * Where the object is now that the reference at `addr`, in the heap, means; *ret_object 0: null.
 * 1, or 0: not known.
 */
int hs_refs_load(struct mem_view *v, const struct hs_refs *r, uint64_t addr, uint64_t *ret_object);

/** As hs_refs_load(), for a reference `word` that was read already, and decoded where it was
 * compressed. */
int hs_refs_follow(struct mem_view *v, const struct hs_refs *r, uint64_t word,
                   uint64_t *ret_object);

/**
 * Where generational ZGC put what was at `object` when it last collected, `tables[table]`. 1:
 * moved; 0: not moved then, or not known.
 */
int hs_refs_moved(struct mem_view *v, const struct hs_refs *r, uint64_t object, int table,
                  uint64_t *ret_object);

/**
 * As hs_refs_load(), of a slot of a thread's stack that the VM itself keeps up to date before
 * the thread runs on; so the thread must be running Java code or the VM's with generational ZGC.
 */
int hs_refs_load_stack(struct mem_view *v, const struct hs_refs *r, uint64_t addr,
                       uint64_t *ret_object);
