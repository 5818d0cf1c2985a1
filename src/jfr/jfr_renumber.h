/*
 * jfr_renumber.h - changes a chunk so that it can stand in one file after chunks of other JVMs.
 *
 * By the format each chunk can be read alone, but readers do not do so. If two chunks have metadata
 * with the same id, the JDK's reader keeps the metadata of the first. It looks up constants in the
 * pool of the same type id of the chunk before. Since JDK 25 it computes all moments with the clock
 * of the first chunk. So each JVM gets its own ids for types and metadata, and all chunks get one
 * clock. Event types have no constants; they may keep the id that another JVM has for the same
 * name.
 * Source: jdk.jfr.internal.consumer, ChunkParser, ChunkHeader, ConstantLookup; docs/format/jfr.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "jfr/jfr_chunk.h"

struct sink;

struct jfr_renumber {
    uint64_t offset;         /* added to the ids of types and metadata */
    struct jfr_header clock; /* its start and rate define all moments */
    /* NULL, or the new ids of ids below JFR_METADATA_NEAR; 0: the id gets `offset` */
    const uint64_t *instead;
};

/** The new id of a type. The format's own types keep their ids, which are the same in all files. An
 * id that is too large for the addition stays too. */
uint64_t jfr_renumber_type(const struct jfr_renumber *n, uint64_t id);
/** Converts a moment of the chunk's clock. The result is a tick that a reader who counts in whole
 * ns converts to the same ns. */
int64_t jfr_renumber_ticks(const struct jfr_renumber *n, const struct jfr_chunk *c, int64_t ticks);
/** Whether the field holds a moment in ticks, a time in ticks, or the id of a type. */
bool jfr_renumber_changes(const struct jfr_type *owner, const struct jfr_field *field);
/** The new number for such a field. */
uint64_t jfr_renumber_value(const struct jfr_renumber *n, const struct jfr_chunk *c,
                            const struct jfr_field *field, uint64_t number);
/** Writes the payload of the chunk's metadata. Errors: 0; -ENOMEM; E_FORMAT. */
int jfr_renumber_metadata(const struct jfr_renumber *n, const struct jfr_chunk *c, struct sink *s);
