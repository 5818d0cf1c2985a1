/*
 * cpu_sampler.h - what takes samples for all recordings of cpu=samples: one handler, its timers,
 * its ring and the thread that empties it.
 *
 * Needs the agent's lock, but for what handlers and the sampling thread have of their own.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "agent/agent.h"
#include "agent/cpu/cpu_share.h"
#include "agent/sample_room.h"
#include "agent/slots.h"
#include "safe/bell.h"
#include "safe/tick.h"

struct stack_source;
struct timer_source;

struct cpu_sampler {
    struct agent *agent;
    struct tick tick;
    struct slots slots;
    const struct timer_source *source;
    const struct stack_source *stacks;
    int running;
    struct sample_room room;
    struct bell wake, stopped;
    _Atomic int stop;
    int thread_runs;
    int keeps_signal; /* signal= says which: it is taken back from whom takes it */
    int told_taken, told_refused;
    uint32_t early_ms;                      /* waited since the start, while rivals may come */
    struct cpu_share *of[AGENT_RECORDINGS]; /* by their places; NULL: has no samples */
    struct {
        struct tick_counts counts;
        uint64_t other[THREAD_ROLE_COUNT];
    } known; /* what has been counted for recordings */
    struct {
        uint64_t told, told_at_ns; /* intervals; on CLOCK_MONOTONIC */
    } lost;                        /* what recordings have heard of: cpu_lost.h */
    uint64_t agent_cpu_ns;
};
