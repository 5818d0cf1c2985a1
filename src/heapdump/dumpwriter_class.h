/*
 * dumpwriter_class.h - the classes of a dump: their records, and how their instances are written.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "format/hprof_heap_copy.h"
#include "heapdump/dumpwriter.h"

/** Hangs at heap_class.user. */
struct dumpwriter_class {
    struct hprof_heap_class out;
    const struct dumpwriter_known *known; /* NULL: only the dump knows it */
    int is_copied;                        /* instances are written as they lie in memory */
    struct hprof_heap_copy copy;
};

/** dumpwriter_id() in this dump. */
static inline uint64_t dumpwriter_class_id(const struct dumpwriter *w, uint64_t object)
{
    return dumpwriter_id(w->heap, w->out->id_bytes, object);
}

/** Whether the dump has this class, which may be under another id than the file had it before. */
int dumpwriter_class_has(const struct dumpwriter *w, const struct dumpwriter_known *known);
/** The serial of the trace that an object was made in. */
uint32_t dumpwriter_class_trace(struct dumpwriter *w, uint64_t object);

/** The id of what a reference to no known object leads to, if that has been moved; else 0. */
uint64_t dumpwriter_class_doubtful_link(struct dumpwriter *w, uint64_t object);

/** The reference at `address`, as an id. */
static inline uint64_t dumpwriter_class_link(struct dumpwriter *w, uint64_t address)
{
    uint64_t object = heap_reference(w->heap, address);
    if (w->find->with_unreachable && !heap_mark_has(&w->find->mark, object))
        return dumpwriter_class_doubtful_link(w, object);
    if (w->find->mark.forwarded)
        object = heap_resolve(w->heap, object);
    return dumpwriter_class_id(w, object);
}

/** The value of a field, as the file has it: `at` is where it lies. */
static inline uint64_t dumpwriter_class_value(struct dumpwriter *w, enum hprof_heap_type type,
                                              uint64_t at)
{
    switch (type) {
    case HPROF_OBJECT:
        return dumpwriter_class_link(w, at);
    case HPROF_BOOLEAN:
    case HPROF_BYTE:
        return *heap_bytes(w->heap, at);
    case HPROF_CHAR:
    case HPROF_SHORT: {
        uint16_t v;
        memcpy(&v, heap_bytes(w->heap, at), sizeof(v));
        return v;
    }
    case HPROF_INT:
    case HPROF_FLOAT:
        return heap_u4(w->heap, at);
    default:
        return heap_u8(w->heap, at);
    }
}

/**
 * Give every class that is in use its record, and write the names and LOAD CLASS records.
 * Errors: 0, -ENOMEM.
 */
int dumpwriter_class_all(struct dumpwriter *w);
/** The CLASS DUMPs, when ids are settled. */
void dumpwriter_class_dump(struct dumpwriter *w);
