/*
 * cpu_quality.h - how far a table of cpu=samples can be trusted: what it does not show, counted.
 *
 * The counts are in intervals, like the table's, unless a name says otherwise; docs/sampling.md
 * explains each. Context of everything here: any, not signal; the agent's lock is held.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "agent/slots.h"
#include "safe/tick.h"

struct agent;
struct recording;
struct stack_source;

/** CPU time that was due and became no sample, and signals. */
struct cpu_outside {
    uint64_t lost_ns, ended_ns, blocked_ns, missed_ns; /* as struct tick_counts has them */
    uint64_t stale_ns;                                 /* of samples without kernel frames */
    uint64_t other_ns[THREAD_ROLE_COUNT];              /* of threads that are not Java's */
    uint64_t signals, early, foreign;
};

struct cpu_quality {
    uint64_t walked;
    uint64_t truncated, shifted, scanned, native_cut, frozen_cut, with_kernel; /* of walked */
    uint64_t failed[WALK_CAUSE_COUNT], nameless, no_memory;                    /* not walked */
    uint64_t other_samples;                                                    /* of all of these */
    uint64_t unnamed_frames;                                                   /* frames */
    uint32_t largest; /* weight of one sample */
    struct cpu_outside outside;
    uint64_t agent_cpu_ns; /* of the sampling thread */
};

/** A sample that is in the table now, with this weight. `has_native`: native=y. */
void cpu_quality_add_walked(struct cpu_quality *q, const struct tick_sample *s, uint32_t weight,
                            bool has_native);
/** Make the recording's quality counts of all that is known. */
void cpu_quality_write(const struct cpu_quality *q, const struct agent *a, struct recording *r,
                       const struct tick *tick, const struct slots *slots,
                       const struct stack_source *stacks);
