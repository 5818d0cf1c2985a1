/*
 * heap_constants.h - the objects in the constant pool of a class: resolved strings, and the mirrors
 * of resolved classes.
 *
 * JVM TI shows the same objects (JVMTI_HEAP_REFERENCE_CONSTANT_POOL), and in addition classes that
 * are loaded but have not been resolved from this pool.
 * Source: HotSpot constantPool.hpp, cpCache.hpp. Context of everything here: any, not signal.
 * Memory comes from an arena.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "heapwalk/heap_class.h"
#include <stdint.h>

struct heap_constants {
    struct heap_classes *classes; /* borrowed */
    /* offset of the VM's table that says which string is at which index */
    int32_t map;
    int map_in_pool;          /* the table is the pool's; otherwise its cache's */
    int32_t resolved_klasses; /* offset; -1: a resolved class is in the pool itself */
    unsigned char *tags;      /* this and the next three are scratch for the longest pool */
    uint64_t *slots, *klasses;
    uint16_t *indices;
    /* constants of the class that was read last, by index; 0: none; not resolved by
     * heap_resolve() */
    uint64_t *objects;
};

/** Errors: 0; E_FACT_MISSING; -ENOMEM. */
int heap_constants_init(struct heap_constants *c, struct heap_classes *classes);
/** Fill `objects`. Returns how many indexes the pool has; 0: there is no pool, or it cannot be
 * read. */
uint32_t heap_constants_read(struct heap_constants *c, const struct heap_class *k);
