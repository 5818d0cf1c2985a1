/*
 * jfr_census.h - what a JFR file has of each type of event: how many, how many bytes, the first one
 * as an example, and the settings that were in force; and what the file itself says of types that
 * the catalogue does not know.
 *
 * Texts are those of the file: nothing says that a terminal may have them.
 * Memory: a row for each type, and 16 MB of texts at most.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "cli/jfr_catalogue.h"
#include "profile/lookup.h"

struct jfr_input;

struct jfr_census_row {
    const char *name;     /* of the event type */
    const char *sentence; /* the file's description of it; NULL: none */
    uint64_t count, bytes;
    char *settings; /* "enabled=false, threshold=20 ms", as the last jdk.ActiveSetting of each has
                     * it; NULL: none seen */
    const char *example; /* a line "field = value" for each field of the first event; NULL: none */
    bool was_enabled, was_disabled; /* at some time */
};

struct jfr_census {
    struct arena arena;
    struct lookup_key key;
    struct lookup by_name; /* row + 1 */
    struct jfr_census_row *rows;
    size_t count, room;
    struct jfr_catalogue_row *known; /* of the types that the catalogue does not have */
    size_t known_count, known_room;
    uint64_t duration_ns; /* of all chunks */
    const char *examples; /* patterns of the events whose example is wanted; NULL: none */
    int error;            /* 0 or -ENOMEM */
};

/** Errors: 0; E_TRUNCATED after saying what is missing: the rest is there; another after saying
 * why: nothing of it is to be read. Owner: jfr_census_done(), also after an error. */
int jfr_census_take(struct jfr_census *c, const char *path, const char *examples);
/** What the file has of this type; NULL: it does not declare it. */
const struct jfr_census_row *jfr_census_find(const struct jfr_census *c, const char *name);
void jfr_census_done(struct jfr_census *c);
