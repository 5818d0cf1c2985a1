/*
 * heap_constants.h - the objects in the constant pool of a class: strings that have been resolved,
 * and the mirrors of classes that have been.
 *
 * As JVM TI shows them (JVMTI_HEAP_REFERENCE_CONSTANT_POOL), but for classes that are loaded and
 * have not been resolved from this very pool. Source: HotSpot constantPool.hpp, cpCache.hpp.
 * Context of everything here: any, not signal. Memory comes from an arena.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "heapwalk/heap_class.h"
#include <stdint.h>

struct heap_constants {
    struct heap_classes *classes; /* borrowed */
    int32_t map;                  /* which string stands at which index: offset of the table */
    int map_in_pool;              /* it is the pool's; else its cache's */
    int32_t resolved_klasses;     /* -1: a resolved class stands in the pool itself */
    unsigned char *tags;          /* scratch, as long as the longest pool, as are these: */
    uint64_t *slots, *klasses;
    uint16_t *indices;
    uint64_t *objects; /* of the class that was read last: by index; 0 none. Not resolved */
};

/** Errors: 0; E_FACT_MISSING; -ENOMEM. */
int heap_constants_init(struct heap_constants *c, struct heap_classes *classes);
/** Fill `objects`. Returns how many indices the pool has; 0 no pool, or not readable. */
uint32_t heap_constants_read(struct heap_constants *c, const struct heap_class *k);
