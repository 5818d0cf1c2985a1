/*
 * heap_find.h - the objects of a heap that stands still: those that can be reached, or all of them.
 *
 * The caller brings the roots and the classes that are known to be loaded; heap_find marks from the
 * roots, and goes through the pieces of the heap for the rest where that is wanted. Afterwards each
 * object that was found has its mark, and each class that was met is in the table of classes.
 * Context of everything here: any, not signal; nothing is allocated but from the arena and by mmap.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "heapwalk/heap_parse.h"

struct heap_find {
    /* the caller's */
    const struct heap *heap;
    struct arena *arena;
    const uint64_t *klasses; /* addresses; 0: that class is gone */
    uint32_t klass_count;
    struct heap_range *ranges; /* room for the pieces of the heap */
    uint32_t range_max;
    volatile uint64_t *seen; /* raised while objects are looked for; NULL nobody asks */
    bool with_unreachable;
    /* results */
    uint32_t range_count;
    struct heap_classes classes;
    struct heap_mark mark;
    struct heap_parse parse; /* with_unreachable: what it found */
    const char *why;         /* of an error, static text */
};

/** Read the classes. Errors: 0; -ENOMEM, E_FACT_MISSING; see `why`. */
int heap_find_begin(struct heap_find *f);
/**
 * Find all objects that can be reached from those that the caller has marked by heap_mark_root(),
 * and with `with_unreachable` all others. Errors: 0; -ENOMEM, E_VM_STATE, E_FACT_MISSING; `why`.
 */
int heap_find_run(struct heap_find *f);
