/*
 * dumpwriter.h - writes the objects that heap_find.h has found in a heap that stands still.
 *
 * The caller gives the roots, the classes that already have names and serials, and the open output.
 * The dumpwriter writes classes and objects in the order of their addresses. A reference that leads
 * to no object is written as null; an unreachable object may have such references, because its
 * neighbours may be gone. The id of an object in the file is its address, or, with ids of four
 * bytes, its number in the heap.
 * Context of everything here: any, not signal; memory comes only from the arena and from mmap.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "format/hprof_heap.h"
#include "format/hprof_redact.h"
#include "heapwalk/heap_find.h"

struct dumpwriter;
struct dumpwriter_pieces;

/* Bytes of the elements; names of threads and the like are shorter. */
enum { DUMPWRITER_LONG_ARRAY = 1024 };

/** A class that the file knows already. */
struct dumpwriter_known {
    uint64_t klass; /* 0: the class was unloaded */
    const char *name;
    uint64_t object; /* the id that the file has given it already; 0: none */
    uint32_t serial;
};

/** The id of an object in the file; 0 for null. */
static inline uint64_t dumpwriter_id(const struct heap *h, uint32_t id_bytes, uint64_t object)
{
    if (object == 0 || id_bytes == 8)
        return object;
    return ((object - h->low) >> 3) + 1;
}

/** The facts that the caller knows, and the parts of the dump that it wants. */
struct dumpwriter_facts {
    /* one for each loaded class, in the order of heap_find.klasses */
    struct dumpwriter_known *known;
    /* `object` is an address; the caller has marked it */
    const struct hprof_heap_root *roots;
    uint32_t known_count, root_count;
    uint32_t system_trace, unknown_thread;
    /**
     * The allocation site of each object, one entry for each 8 bytes of the heap. NULL: not known.
     */
    const uint32_t *sites;
    /* Returns the serial of the trace of a site, also for site 0. */
    uint32_t (*trace_of)(const void *trace_arg, uint32_t site);
    const void *trace_arg;
    /** Called after every few megabytes of heap that were written, by two threads. May be NULL. */
    void (*written)(void *arg, uint64_t from, uint64_t to);
    void *written_arg;
    /** Called when the classes have their records, before the objects: heap_class.user is the
     * struct dumpwriter_class of each class of the dump. May be NULL. */
    void (*classes_known)(void *arg, struct dumpwriter *w);
    void *classes_known_arg;
    bool leave_constants; /* the option plain=y */
    /* Classes have their array of resolved constants as a static field. */
    bool shows_resolved;
    /* the options primfields=n, primarrays=n */
    bool leave_primitive_fields, leave_primitive_arrays;
    struct hprof_redact_rule redact; /* what is zeroed and renamed */
    /* the option longarrays=n: arrays of primitives of more than DUMPWRITER_LONG_ARRAY bytes are
     * written without their elements */
    bool leave_long_arrays;
};

struct dumpwriter {
    /* set by the caller: */
    const struct dumpwriter_facts *facts;
    const struct heap *heap;
    struct heap_find *find; /* its heap_find_run() has succeeded */
    struct hprof_heap *out;
    uint64_t next_string; /* id of the next UTF8 record */
    uint32_t next_serial; /* for classes that the file does not know yet */
    /* results: */
    uint64_t objects;    /* records written, without those of classes */
    uint64_t lost_links; /* references of unreachable objects that led to no object */
    const char *why;     /* the reason of an error, static text */
    /* private: */
    uint64_t access_flags; /* offset in an InstanceKlass */
    uint32_t kept_types;   /* bit N: arrays of the type N keep their elements */
    /* references can be copied from memory, because they are already the ids of the file */
    bool copies;
    bool has_lost; /* some references lead to no object that is written */
    struct heap_class *object_class;
    uint64_t *values; /* values of one instance */
    uint32_t last_site, last_trace;
    /* count of ids given to flat values; shared by the threads that write one dump */
    uint64_t *value_ids;
    /* the pieces of the heap that are still to be written */
    struct dumpwriter_pieces *pieces;
    uint32_t value_max;
};
