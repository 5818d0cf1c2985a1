/*
 * cpu_quality.h - counts of what a table of cpu=samples does not show, by which a reader can judge
 * the table.
 *
 * The counts are in intervals, like the counts of the table, unless a name says otherwise.
 * docs/sampling.md explains each of them. Context of everything here: any, not signal; the agent's
 * lock is held.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "agent/sampling/slots.h"
#include "safe/tick.h"

struct agent;
struct recording;
struct stack_source;

/** CPU time for which a sample was due but none was made, and counts of signals. */
struct cpu_outside {
    uint64_t lost_ns, ended_ns, blocked_ns, missed_ns; /* the counts of struct tick_counts, as ns */
    /* samples whose kernel frames were of another moment and were left out */
    uint64_t stale_ns;
    uint64_t other_ns[THREAD_ROLE_COUNT]; /* CPU time of threads that are not Java's */
    uint64_t signals, early, foreign;
};

struct cpu_quality {
    uint64_t walked;
    /* parts of `walked` */
    uint64_t truncated, shifted, scanned, native_cut, frozen_cut, with_kernel;
    /* samples that were not walked, by cause; without a name; without memory */
    uint64_t failed[WALK_CAUSE_COUNT], nameless, no_memory;
    /* samples of threads that are not Java's, among all of the above */
    uint64_t other_samples;
    /* number of frames without a name */
    uint64_t unnamed_frames;
    uint32_t largest; /* weight of one sample */
    struct cpu_outside outside;
    uint64_t agent_cpu_ns; /* CPU time of the sampling thread */
};

/** Count a sample that is now in the table with this weight. `has_native`: the option native=y. */
void cpu_quality_add_walked(struct cpu_quality *q, const struct tick_sample *s, uint32_t weight,
                            bool has_native);
/** Set the quality counts of the recording from all that is known. */
void cpu_quality_write(const struct cpu_quality *q, const struct agent *a, struct recording *r,
                       const struct tick *tick, const struct slots *slots,
                       const struct stack_source *stacks);
