/*
 * jfr_quality.h - how far a recording of ours says that it can be trusted: its hprof.Quality.
 *
 * Each event is a count so far. Where a file has recordings of several JVMs, no count is that of
 * all of them, and none is told.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "jfr/jfr_jvm.h"
#include "profile/ids.h"

struct jfr_chunk;
struct jfr_record;
struct jfr_type;
struct profile;

enum { JFR_QUALITY_MAX = 128 };

struct jfr_quality {
    struct jfr_jvm jvm; /* of the chunk that was first */
    bool has_jvm, has_several;
    uint32_t count;
    struct {
        string_id name;
        uint64_t count;
    } rows[JFR_QUALITY_MAX]; /* in the order of their first events */
};

bool jfr_quality_is(const struct jfr_type *type);
/** Of a chunk that has such events. */
void jfr_quality_begin(struct jfr_quality *q, const struct jfr_chunk *c);
void jfr_quality_take(struct jfr_quality *q, struct profile *profile, const struct jfr_chunk *c,
                      const struct jfr_type *type, const struct jfr_record *record);
/** Gives the profile the counts, if they can be those of the `samples` that were read. */
void jfr_quality_tell(const struct jfr_quality *q, struct profile *profile, uint64_t samples);
