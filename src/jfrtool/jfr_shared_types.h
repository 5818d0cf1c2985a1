/*
 * jfr_shared_types.h - gives the event types of several writers of a merged file one number if they
 * have the same name. Then a tool that counts by numbers, such as the JDK's jfr summary, has one
 * row for them. Their fields may differ, because each chunk describes its own fields.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "jfr/jfr_chunk.h"
#include "jfr/jfr_renumber.h"

struct jfr_shared_type {
    char *name;
    uint64_t id; /* the number in the merged file */
};

struct jfr_shared_types {
    struct jfr_shared_type *rows; /* sorted by name */
    uint32_t count, room;
    uint64_t instead[JFR_METADATA_NEAR]; /* for the chunk that was added last: see jfr_renumber.h */
};

/** Adds the chunk that is written next, renumbered by `n`, or unchanged if `n` is NULL. *s is zero
 * before the first call. n->instead is valid until the next call. Errors: 0; -ENOMEM. */
int jfr_shared_types_add(struct jfr_shared_types *s, const struct jfr_chunk *c,
                         struct jfr_renumber *n);
void jfr_shared_types_done(struct jfr_shared_types *s);
