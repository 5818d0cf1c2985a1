/*
 * cpu_sampler.h - the sampler that all recordings of cpu=samples share: one handler, its timers,
 * its ring and the thread that empties the ring.
 *
 * The agent's lock guards the fields, except those that only handlers or only the sampling thread
 * use.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "agent/agent.h"
#include "agent/cpu/cpu_share.h"
#include "agent/sampling/sample_room.h"
#include "agent/sampling/slots.h"
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
    int keeps_signal; /* signal= names the signal: the agent takes it back from every rival */
    int told_taken, told_refused;
    /* time that was waited since the start while rivals may come */
    uint32_t early_ms;
    /* indexed by the recording's place; NULL: it has no samples */
    struct cpu_share *of[AGENT_RECORDINGS];
    struct {
        struct tick_counts counts;
        uint64_t other[THREAD_ROLE_COUNT];
    } known; /* what has already been counted for recordings */
    struct {
        uint64_t told, told_at_ns; /* intervals; time on CLOCK_MONOTONIC */
    } lost;                        /* what recordings have been told (cpu_lost.h) */
    uint64_t agent_cpu_ns;
};
