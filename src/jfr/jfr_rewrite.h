/*
 * jfr_rewrite.h - a chunk written again with some of its events, and with texts left out of it.
 *
 * Events and constants are copied as they are, and keep their keys and the chunk's clock: who reads
 * the copy sees the same values, unless it is to lie beside those of another JVM. Of the constants
 * only those go in that events lead to, so nothing that was left out can be found in the copy. The
 * order is header, metadata, events, one checkpoint. Memory: 24 bytes for each constant that goes
 * in, and the marks of the pools. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "jfr/jfr_chunk.h"

struct jfr_renumber;
struct jfr_text;
struct sink;

/** What is to go in. */
struct jfr_rewrite {
    /** Whether an event goes in; NULL: all do. Asked twice for each event, with one answer. */
    bool (*keeps)(void *with, const struct jfr_chunk *c, const struct jfr_type *type,
                  const struct jfr_record *record);
    /**
     * The UTF-8 that is written in place of a field's text, valid until the next call; NULL: the
     * text stays as it is. `event`: whose field it is, NULL within a constant or a structure. Asked
     * twice for each text, with one answer. NULL: all texts stay.
     */
    const char *(*replaces)(void *with, const struct jfr_chunk *c, const struct jfr_record *event,
                            const struct jfr_type *type, const struct jfr_field *field,
                            const struct jfr_text *text);
    void *with;
    const struct jfr_renumber *renumber; /* NULL: types keep their numbers, moments their clock */
    int64_t duration_max; /* ns: the copy says that it is no longer; 0: as long as the chunk */
};

/** What was done; added to what is there. */
struct jfr_rewrite_count {
    uint64_t kept, removed; /* events */
    uint64_t hidden;        /* texts */
};

/**
 * Writes the chunk, of which the constants were read; not where no event goes in. Errors: 0;
 * -ENOMEM; the sink's; E_FORMAT: it has no types. Events that make no sense are left out and
 * counted as removed.
 */
int jfr_rewrite_chunk(const struct jfr_rewrite *w, struct jfr_chunk *c, struct sink *s,
                      struct jfr_rewrite_count *count);
