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
#include "heapwalk/heap_parse.h"

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
    /* results: */
    uint32_t range_count;
    struct heap_classes classes;
    struct heap_mark mark;
    struct heap_parse parse; /* valid if with_unreachable is set */
    const char *why;         /* the reason of an error, static text */
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
