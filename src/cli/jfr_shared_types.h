/*
 * jfr_shared_types.h - the types of events that several writers of a merged file have by one name:
 * they get one number, so tools that count by numbers, as the JDK's jfr summary, have one row of
 * them. Their fields may differ: each chunk says its own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "jfr/jfr_chunk.h"
#include "jfr/jfr_renumber.h"

struct jfr_shared_type {
    char *name;
    uint64_t id; /* that it has in the merged file */
};

struct jfr_shared_types {
    struct jfr_shared_type *rows; /* sorted by name */
    uint32_t count, room;
    uint64_t instead[JFR_METADATA_NEAR]; /* of the chunk that was added last: see jfr_renumber.h */
};

/** Zeroed at first. A chunk that is to be written next, by `n`, or as it is where that is NULL.
 * Then n->instead holds until the next one. Errors: 0; -ENOMEM. */
int jfr_shared_types_add(struct jfr_shared_types *s, const struct jfr_chunk *c,
                         struct jfr_renumber *n);
void jfr_shared_types_done(struct jfr_shared_types *s);
