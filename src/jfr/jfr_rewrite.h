/*
 * jfr_rewrite.h - writes a chunk again with some of its events, and without some of its texts.
 *
 * Events and constants are copied unchanged; they keep their keys and the clock of the chunk. A
 * reader of the copy sees the same values, unless the copy is to stand beside chunks of another JVM
 * (`renumber`). Only those constants are copied to which a copied event leads, so nothing that was
 * left out can be found in the copy. The order is header, metadata, events, one checkpoint.
 * Memory: 24 bytes for each copied constant, and the marks of the pools.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "jfr/jfr_chunk.h"

struct jfr_renumber;
struct jfr_text;
struct sink;

/** The contents of the copy. */
struct jfr_rewrite {
    /** Whether an event is copied; NULL: all are. It is called twice for each event and must give
     * the same answer. */
    bool (*keeps)(void *with, const struct jfr_chunk *c, const struct jfr_type *type,
                  const struct jfr_record *record);
    /**
     * The UTF-8 that replaces the text of a field, valid until the next call; NULL: the text stays.
     * `event` is the event that has the field; NULL: the field belongs to a constant or a
     * structure. It is called twice for each text and must give the same answer. A NULL pointer
     * here: all texts stay.
     */
    const char *(*replaces)(void *with, const struct jfr_chunk *c, const struct jfr_record *event,
                            const struct jfr_type *type, const struct jfr_field *field,
                            const struct jfr_text *text);
    void *with;
    const struct jfr_renumber *renumber; /* NULL: types keep their ids and moments their clock */
    /* ns, the largest duration that the copy's header gets; 0: that of the chunk */
    int64_t duration_max;
};

/** Counts of what was done; jfr_rewrite_chunk() adds to them. */
struct jfr_rewrite_count {
    uint64_t kept, removed; /* events */
    uint64_t hidden;        /* texts replaced */
};

/**
 * Writes the copy of a chunk that was opened with constants. Writes nothing if no event is copied.
 * Malformed events are left out and counted as removed.
 *
 * Errors:  0; -ENOMEM; the sink's; E_FORMAT: the chunk has no types.
 */
int jfr_rewrite_chunk(const struct jfr_rewrite *w, struct jfr_chunk *c, struct sink *s,
                      struct jfr_rewrite_count *count);
