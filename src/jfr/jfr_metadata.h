/*
 * jfr_metadata.h - reads the metadata event of a chunk and builds its types.
 *
 * The event is a table of strings and a small tree whose texts are indexes into the table. Memory:
 * at most 64 times the bytes of the event, and 1 MB; never more than the budget.
 * Source: jdk.jfr, MetadataReader; docs/format/jfr.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "base/arena.h"
#include "jfr/jfr_type.h"

struct jfr_budget;

enum { JFR_METADATA_NEAR = 4096 }; /* types with ids below this are found by index */

struct jfr_metadata {
    struct arena arena;
    struct jfr_budget *budget; /* borrowed; NULL: no budget */
    struct jfr_type *types;    /* in the order of the file */
    uint32_t type_count;
    const struct jfr_type **by_id; /* sorted by id */
    const struct jfr_type *near[JFR_METADATA_NEAR];
    int64_t gmt_offset_ms; /* time zone of the machine that recorded */
};

/**
 * Reads the payload of a metadata event, which begins after its size and type. Takes its memory
 * from the budget if there is one.
 *
 * Errors:  0; E_FORMAT; E_TRUNCATED; -ENOMEM. Owner: jfr_metadata_done(), also after an error.
 */
int jfr_metadata_read(struct jfr_metadata *m, struct leb payload, struct jfr_budget *budget);
void jfr_metadata_done(struct jfr_metadata *m);
/** The type with this id, by binary search; NULL: there is none. */
const struct jfr_type *jfr_metadata_search(const struct jfr_metadata *m, uint64_t id);
const struct jfr_type *jfr_metadata_named(const struct jfr_metadata *m, const char *name);

static inline const struct jfr_type *jfr_metadata_type(const struct jfr_metadata *m, uint64_t id)
{
    return id < JFR_METADATA_NEAR ? m->near[id] : jfr_metadata_search(m, id);
}
