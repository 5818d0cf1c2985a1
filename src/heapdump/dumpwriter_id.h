/*
 * dumpwriter_id.h - the ids in a dump for objects, references and values of fields in memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <string.h>
#include "heapdump/dumpwriter.h"

/** Like dumpwriter_id(), for this dump. */
static inline uint64_t dumpwriter_id_of(const struct dumpwriter *w, uint64_t object)
{
    return dumpwriter_id(w->heap, w->out->id_bytes, object);
}

/** The id for a reference that does not lead to a marked object: the id of the object's new place
 * if the object was moved; otherwise 0. */
uint64_t dumpwriter_id_if_moved(struct dumpwriter *w, uint64_t object);

/** The reference at `address`, as an id. */
static inline uint64_t dumpwriter_id_at(struct dumpwriter *w, uint64_t address)
{
    uint64_t object = heap_reference(w->heap, address);
    if (w->has_lost && !heap_mark_has(&w->find->mark, object))
        return dumpwriter_id_if_moved(w, object);
    if (w->find->mark.forwarded)
        object = heap_resolve(w->heap, object);
    return dumpwriter_id_of(w, object);
}

/** The value of the field at address `at`, as the file has it. */
static inline uint64_t dumpwriter_id_or_value(struct dumpwriter *w, enum hprof_heap_type type,
                                              uint64_t at)
{
    switch (type) {
    case HPROF_OBJECT:
        return dumpwriter_id_at(w, at);
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
