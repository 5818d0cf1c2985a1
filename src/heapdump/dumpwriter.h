/*
 * dumpwriter.h - writes the objects that heap_find.h has found in a heap that stands still.
 *
 * The caller brings the roots, the classes it has names and serials for, and the open output;
 * dumpwriter writes classes and objects in the order of their addresses.
 * What an unreachable object refers to may be gone: a reference to no object is written as null.
 * An object's id in the file is its address, or with ids of four bytes its number in the heap.
 * Context of everything here: any, not signal; nothing is allocated but from the arena and by mmap.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "format/hprof_heap.h"
#include "heapwalk/heap_find.h"

/** A class that the rest of the file knows. */
struct dumpwriter_known {
    uint64_t klass; /* 0: gone */
    const char *name;
    uint64_t object; /* the id that the file has given it already; 0 none */
    uint32_t serial;
};

/** An object's id in the file; 0 for none. */
static inline uint64_t dumpwriter_id(const struct heap *h, uint32_t id_bytes, uint64_t object)
{
    if (object == 0 || id_bytes == 8)
        return object;
    return ((object - h->low) >> 3) + 1;
}

/** What the caller knows, and how it wants the dump. */
struct dumpwriter_facts {
    struct dumpwriter_known *known;      /* one a loaded class, as `klasses` of the heap_find */
    const struct hprof_heap_root *roots; /* `object` is an address; marked by the caller */
    uint32_t known_count, root_count;
    uint32_t system_trace, unknown_thread;
    /** Where each object was allocated, for each 8 bytes of the heap. NULL: nobody knows. */
    const uint32_t *sites;
    /* The serial of a site's trace, of site 0 too. */
    uint32_t (*trace_of)(const void *trace_arg, uint32_t site);
    const void *trace_arg;
    /** Called every few megabytes of heap that were written, by two threads. May be NULL. */
    void (*written)(void *arg, uint64_t from, uint64_t to);
    void *written_arg;
    bool leave_constants;                                /* plain=y */
    bool leave_primitive_fields, leave_primitive_arrays; /* primfields=n, primarrays=n */
};

struct dumpwriter_pieces;

struct dumpwriter {
    /* the caller's */
    const struct dumpwriter_facts *facts;
    const struct heap *heap;
    struct heap_find *find; /* has run */
    struct hprof_heap *out;
    uint64_t next_string; /* ids of UTF8 records, counted up */
    uint32_t next_serial; /* of classes nobody knows */
    /* results */
    uint64_t objects;    /* records written, classes not counted */
    uint64_t lost_links; /* references of unreachable objects that led to none */
    const char *why;     /* of an error, static text */
    /* dumpwriter's own */
    uint64_t access_flags; /* where an InstanceKlass keeps them */
    bool copies;           /* the reference in an object is the one in the file */
    struct heap_class *object_class;
    uint64_t *values; /* of one instance */
    uint32_t last_site, last_trace;
    uint64_t *value_ids;              /* given to flat values; shared by those who write one dump */
    struct dumpwriter_pieces *pieces; /* of the heap, that are still to be written */
    uint32_t value_max;
};
