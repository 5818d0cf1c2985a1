/*
 * jfr_census.h - what a JFR file has of each type of event: the number of events, their bytes, the
 * first event as an example, and the settings that were in force. It also takes the file's own
 * description of types that the catalogue does not know.
 *
 * All texts come from the file, so they may be unsafe for a terminal.
 * Memory: a row for each type, and at most 16 MB of texts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "jfrtool/jfr_catalogue.h"
#include "profile/lookup.h"

struct jfr_input;

struct jfr_census_row {
    const char *name;     /* the name of the event type */
    const char *sentence; /* the description in the file; NULL: none */
    uint64_t count, bytes;
    /* "enabled=false, threshold=20 ms", from the last jdk.ActiveSetting of each setting; NULL:
     * none. */
    char *settings;
    const char *example; /* a line "field = value" for each field of the first event; NULL: none */
    bool was_enabled, was_disabled; /* at any time of the recording */
};

struct jfr_census {
    struct arena arena;
    struct lookup_key key;
    struct lookup by_name; /* gives row + 1 */
    struct jfr_census_row *rows;
    size_t count, room;
    struct jfr_catalogue_row *known; /* catalogue rows of types that the catalogue does not have */
    size_t known_count, known_room;
    uint64_t duration_ns; /* the sum over all chunks */
    /* Patterns of the events whose example is wanted; NULL: none. */
    const char *examples;
    int error; /* 0 or -ENOMEM */
};

/** Reads the file. Errors: 0; E_TRUNCATED after saying what is missing: the rest can be used;
 * another code after saying why: nothing can be used. Owner: jfr_census_done(), also after an
 * error. */
int jfr_census_take(struct jfr_census *c, const char *path, const char *examples);
/** The row of this type; NULL: the file does not declare the type. */
const struct jfr_census_row *jfr_census_find(const struct jfr_census *c, const char *name);
void jfr_census_done(struct jfr_census *c);
