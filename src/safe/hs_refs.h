/*
 * hs_refs.h - from a reference in the Java heap to its object, without changing reference or
 * object.
 *
 * There are two ways. hs_refs_narrow() and hs_refs_word() decode the reference as it is written; a
 * collector that moves objects while the program runs may have moved the object. hs_refs_load()
 * also finds where the object is now, as the collector's own barrier would, but it does not heal
 * the reference:
 * - Serial, Parallel and G1 move objects only while the whole program stands.
 * - Shenandoah writes the new address into the mark word of the old copy, and the old copy stays
 *   until no reference leads to it.
 * - ZGC writes into each reference (its colour) which collection last saw the reference. If the
 *   colour is not the current one, the table of that collection says where the object is; the table
 *   lives as long as such references. If a page is in no table, its objects did not move. If an
 *   object has no entry, it has not been moved yet.
 * The functions read the reference, the object's mark word, and ZGC's masks and tables. All of
 * these can change during the read: a caller that uses an object reads the reference again
 * afterwards and compares.
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
    HS_REFS_HEADER_COMPRESSED, /* a compressed Klass* of 4 bytes */
    HS_REFS_HEADER_COMPACT,    /* in the upper bits of the mark word */
};

/** Which collector moves objects. */
enum hs_refs_mover {
    HS_REFS_UNKNOWN, /* hs_refs_load() always fails */
    HS_REFS_STOPPED, /* a collector that moves objects only while the program stands */
    HS_REFS_SHENANDOAH,
    HS_REFS_Z_ONE, /* single-generation ZGC */
    HS_REFS_Z_TWO, /* generational ZGC */
};

/** The table in which ZGC notes moved objects: an array of ZForwarding*, one for each granule of
 * the heap. */
struct hs_refs_table {
    uint64_t map, granules;
};

struct hs_refs {
    uint8_t is_x86;     /* on x86-64 ZGC places the colour differently */
    bool is_compressed; /* references in the heap have 4 bytes */
    enum hs_refs_header header;
    enum hs_refs_mover mover;
    uint32_t shift, klass_shift;
    uint64_t base, klass_base;
    uint32_t compact_shift; /* shift of the class in a compact header */
    uint32_t z_shift;       /* generational ZGC: see hs_refs_word(); 0: other collectors */
    uint64_t z_mask;        /* single-generation ZGC: the bits of an address; 0: other collectors */
    uint64_t z_colour;      /* single-generation ZGC: the bits to set above an address */

    /* for hs_refs_load() with ZGC */
    uint64_t good_at;               /* address of the mask of current colours */
    uint64_t phase_at;              /* address of the number of the phase; 0: not known */
    uint64_t offset_mask;           /* the bits of an address that are the offset in the heap */
    uint64_t colours;               /* single-generation ZGC: all bits of colours */
    uint32_t granule_shift;         /* log2 of a granule's bytes */
    struct hs_refs_table tables[2]; /* young and old; single-generation ZGC uses the first */
    struct {
        int32_t start, align, length, size, users;
    } forwarding; /* offsets in a ZForwarding, and the size of a ZForwarding; users -1: not known */
};

/** Decode a compressed reference. 0: null. */
static inline uint64_t hs_refs_narrow(const struct hs_refs *r, uint32_t narrow)
{
    return narrow == 0 ? 0 : r->base + ((uint64_t)narrow << r->shift);
}

/** Decode a reference of 8 bytes that is in the heap, or elsewhere but not on a stack. 0: null. */
uint64_t hs_refs_word(const struct hs_refs *r, uint64_t word);

/** The class of an object that has not been moved; 0 if it cannot be read. */
uint64_t hs_refs_klass(struct mem_view *v, const struct hs_refs *r, uint64_t object);

/**
 * Find where the object is now to which the reference at `addr`, in the heap, leads. *ret_object 0:
 * the reference is null. Returns 1, or 0 if the place is not known.
 */
int hs_refs_load(struct mem_view *v, const struct hs_refs *r, uint64_t addr, uint64_t *ret_object);

/** Do the same as hs_refs_load() for a reference `word` that was already read. If it was
 * compressed, it must have been decoded. */
int hs_refs_follow(struct mem_view *v, const struct hs_refs *r, uint64_t word,
                   uint64_t *ret_object);

/**
 * Find where generational ZGC moved the object that was at `object`, in the collection of
 * `tables[table]`. Returns 1 if the object was moved; 0 if it was not, or if this is not known.
 */
int hs_refs_moved(struct mem_view *v, const struct hs_refs *r, uint64_t object, int table,
                  uint64_t *ret_object);

/**
 * Do the same as hs_refs_load() for a slot of a thread's stack that the VM updates before the
 * thread runs on. With generational ZGC the thread must therefore be running Java code or code of
 * the VM.
 */
int hs_refs_load_stack(struct mem_view *v, const struct hs_refs *r, uint64_t addr,
                       uint64_t *ret_object);
