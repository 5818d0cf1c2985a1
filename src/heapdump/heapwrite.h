/*
 * heapwrite.h - writes the objects of a heap that stands still: those that can be reached, or all.
 *
 * The caller brings the roots, the classes it has names and serials for, and the open output;
 * heapwrite marks from the roots and writes classes and objects in the order of their addresses.
 * What an unreachable object refers to may be gone: a reference to no object is written as null.
 * An object's id in the file is its address, or with ids of four bytes its number in the heap.
 * Context of everything here: any, not signal; nothing is allocated but from the arena and by mmap.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "format/hprof_heap.h"
#include "hotspot/heap_walk.h"
#include <stdint.h>

/** A class that the rest of the file knows. */
struct heapwrite_known {
    uint64_t klass; /* 0: gone */
    const char *name;
    uint64_t object; /* the id that the file has given it already; 0 none */
    uint32_t serial;
};

/** An object's id in the file; 0 for none. */
static inline uint64_t heapwrite_id(const struct heap *h, uint32_t id_bytes, uint64_t object)
{
    if (object == 0 || id_bytes == 8)
        return object;
    return ((object - h->low) >> 3) + 1;
}

struct heapwrite_pieces;

struct heapwrite {
    /* the caller's */
    const struct heap *heap;
    struct arena *arena;
    struct hprof_heap *out;
    struct heapwrite_known *known;
    struct hprof_heap_root *roots; /* `object` is an address */
    uint32_t known_count, root_count;
    struct heap_range *ranges; /* room for the pieces of the heap */
    uint32_t range_max, range_count;
    uint64_t next_string; /* ids of UTF8 records, counted up */
    uint32_t next_serial; /* of classes nobody knows */
    uint32_t system_trace, unknown_thread;
    /** Where each object was allocated, for each 8 bytes of the heap. NULL: nobody knows. */
    const uint32_t *sites;
    uint32_t (*trace_of)(uint32_t site); /* the serial of its trace; of site 0 too */
    /** Called every few megabytes of heap that were written, by two threads. May be NULL. */
    void (*written)(void *arg, uint64_t from, uint64_t to);
    void *written_arg;
    volatile uint64_t *seen; /* raised while objects are looked for; NULL nobody asks */
    int leave_primitive_fields, leave_primitive_arrays; /* primfields=n, primarrays=n */
    int with_unreachable;                               /* live=n */
    /* results */
    struct heap_classes classes;
    struct heap_mark mark;
    struct heap_walk walk; /* with_unreachable: what it found */
    uint64_t objects;      /* records written, classes not counted */
    uint64_t lost_links;   /* references of unreachable objects that led to none */
    const char *why;       /* of an error, static text */
    /* heapwrite's own */
    uint64_t access_flags; /* where an InstanceKlass keeps them */
    int copies;            /* the reference in an object is the one in the file */
    struct heap_class *object_class;
    uint64_t *values; /* of one instance */
    uint32_t last_site, last_trace;
    struct heapwrite_pieces *pieces; /* of the heap, that are still to be written */
    uint32_t value_max;
};

/** Errors: 0; -ENOMEM, E_VM_STATE, E_FACT_MISSING, E_LIMIT, or the sink's error; see `why`. */
int heapwrite_run(struct heapwrite *w);
/** Only find out what there is to write: fills classes, mark and walk. Errors: as above. */
int heapwrite_find(struct heapwrite *w);
