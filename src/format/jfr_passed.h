/*
 * jfr_passed.h - what a recording has, and a profile of it has not: samples that the JVM's sampler
 * lost, and events of which another type tells the same (kind_jfr.rival).
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
    uint64_t lost;           /* samples, by jdk.CPUTimeSamplesLost */
    uint64_t of[KIND_COUNT]; /* events of a kind that have a rival */
};

/** Whether the type's events tell of lost samples. */
bool jfr_passed_is_lost(const struct jfr_type *type);
/** Takes such an event. */
void jfr_passed_add_lost(struct jfr_passed *p, const struct jfr_chunk *c,
                         const struct jfr_type *type, const struct jfr_record *record);
/** Gives the profile the counts. */
void jfr_passed_tell(const struct jfr_passed *p, struct profile *profile);
