/*
 * cpu_quality.h - how far a table of cpu=samples can be trusted: what it does not show, counted.
 *
 * The counts are in intervals, like the table's, unless a name says otherwise; docs/sampling.md
 * explains each. Context of everything here: any, not signal; the agent's lock is held.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "safe/tick.h"

struct agent;
struct recording;
struct slots;
struct walkers;

struct cpu_quality {
    uint64_t walked;
    uint64_t truncated, shifted, scanned, native_cut, frozen_cut, with_kernel; /* of walked */
    uint64_t failed[WALK_CAUSE_COUNT], nameless, no_memory;                    /* not walked */
    uint64_t other_samples;                                                    /* of all of these */
    uint64_t unnamed_frames;                                                   /* frames */
    uint32_t largest; /* weight of one sample */
    uint64_t agent_cpu_ns;
};

/** A sample that a handler took, whatever becomes of it. */
void cpu_quality_add(struct cpu_quality *q, const struct tick_sample *s);
/** A sample that is in the table now. `has_native`: native=y. */
void cpu_quality_add_walked(struct cpu_quality *q, const struct tick_sample *s, int has_native);
/** Make the recording's quality counts of all that is known. */
void cpu_quality_write(const struct cpu_quality *q, const struct agent *a, struct recording *r,
                       struct tick *tick, struct slots *slots, const struct walkers *walkers);
