/*
 * jfr_quality.h - how far the numbers of a recording can be trusted.
 *
 * A recording of hprof says so itself, in events of the type hprof.Quality: each has a count since
 * the start. If a file has recordings of several JVMs, no count is valid for all of them, and the
 * profile gets none. Of every recording is counted what is missing in its profile: samples that the
 * JVM's sampler lost, and events that were not read because another type records the same
 * (kind_jfr.rival).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "jfr/jfr_jvm.h"
#include "profile/event.h"

struct jfr_chunk;
struct jfr_record;
struct jfr_type;
struct profile;

enum { JFR_QUALITY_MAX = 128 };

struct jfr_quality {
    struct jfr_jvm jvm; /* of the last chunk that had such events */
    bool has_jvm, has_several;
    uint32_t count;
    struct {
        string_id name;
        uint64_t count;
    } rows[JFR_QUALITY_MAX]; /* in the order of their first events */
};

bool jfr_quality_is(const struct jfr_type *type);
/** Call it for a chunk that has such events. */
void jfr_quality_begin(struct jfr_quality *q, const struct jfr_chunk *c);
void jfr_quality_take(struct jfr_quality *q, struct profile *profile, const struct jfr_chunk *c,
                      const struct jfr_type *type, const struct jfr_record *record);
/**
 * Gives the counts to the profile. Does nothing if they cannot be the counts of what was read: if
 * the file has recordings of several JVMs, or if more `samples` were read than the counts say.
 */
void jfr_quality_tell(const struct jfr_quality *q, struct profile *profile, uint64_t samples);

struct jfr_quality_passed {
    uint64_t lost;           /* samples that events jdk.CPUTimeSamplesLost report */
    uint64_t of[KIND_COUNT]; /* by kind: events that were not read because of a rival */
};

/** Whether events of this type report lost samples. */
bool jfr_quality_passed_is_lost(const struct jfr_type *type);
/** Reads such an event. */
void jfr_quality_passed_add_lost(struct jfr_quality_passed *p, const struct jfr_chunk *c,
                                 const struct jfr_type *type, const struct jfr_record *record);
/** Adds the counts to the quality counts of the profile. */
void jfr_quality_passed_tell(const struct jfr_quality_passed *p, struct profile *profile);
