/*
 * jfr_renumber.h - a chunk of one JVM made fit to stand in a file behind those of others.
 *
 * Chunks stand for themselves, but readers do not read them so. That of the JDK goes on with the
 * metadata of the chunk before where both have the same id, looks constants up in the pool of that
 * type id in the chunk before, and since JDK 25 takes all moments for those of the first chunk's
 * clock. So each JVM gets ids of its own for types and metadata, and all have one clock. Types of
 * events have no constants and may have the id that another JVM has for that name.
 * Source: jdk.jfr.internal.consumer, ChunkParser, ChunkHeader, ConstantLookup; docs/format/jfr.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "jfr/jfr_chunk.h"

struct sink;

struct jfr_renumber {
    uint64_t offset;         /* is added to the ids of types and metadata */
    struct jfr_header clock; /* its start and rate are those of all moments */
    const uint64_t *instead; /* NULL, or by ids below JFR_METADATA_NEAR: the whole id, 0 none */
};

/** The format's own types keep their ids, which are the same in all files; so do ids that are too
 * large for another. */
uint64_t jfr_renumber_type(const struct jfr_renumber *n, uint64_t id);
/** A moment of the chunk's clock, so that who counts in whole ns finds the same one. */
int64_t jfr_renumber_ticks(const struct jfr_renumber *n, const struct jfr_chunk *c, int64_t ticks);
/** Whether the field holds a moment, a time in ticks, or the number of a type. */
bool jfr_renumber_changes(const struct jfr_type *owner, const struct jfr_field *field);
/** What stands in such a field then. */
uint64_t jfr_renumber_value(const struct jfr_renumber *n, const struct jfr_chunk *c,
                            const struct jfr_field *field, uint64_t number);
/** Writes the payload of the chunk's metadata. Errors: 0; -ENOMEM; E_FORMAT. */
int jfr_renumber_metadata(const struct jfr_renumber *n, const struct jfr_chunk *c, struct sink *s);
