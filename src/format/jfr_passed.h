/*
 * jfr_passed.h - counts what is missing in the profile of a recording: samples that the JVM's
 * sampler lost, and events that were not read because another type records the same
 * (kind_jfr.rival).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/event.h"

struct jfr_chunk;
struct jfr_record;
struct jfr_type;
struct profile;

struct jfr_passed {
    uint64_t lost;           /* samples that events jdk.CPUTimeSamplesLost report */
    uint64_t of[KIND_COUNT]; /* by kind: events that were not read because of a rival */
};

/** Whether events of this type report lost samples. */
bool jfr_passed_is_lost(const struct jfr_type *type);
/** Reads such an event. */
void jfr_passed_add_lost(struct jfr_passed *p, const struct jfr_chunk *c,
                         const struct jfr_type *type, const struct jfr_record *record);
/** Adds the counts to the quality counts of the profile. */
void jfr_passed_tell(const struct jfr_passed *p, struct profile *profile);
