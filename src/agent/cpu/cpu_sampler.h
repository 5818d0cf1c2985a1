/*
 * cpu_sampler.h - the sampler that all recordings of cpu=samples share: one handler, its timers,
 * its ring and the thread that empties the ring.
 *
 * The agent's lock guards the fields, except those that only handlers or only the sampling thread
 * use.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include "agent/agent.h"
#include "agent/cpu/cpu_share.h"
#include "agent/sampling/sample_room.h"
#include "agent/sampling/slots.h"
#include "safe/bell.h"
#include "safe/tick.h"

struct options;
struct options_cpu;
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
    } lost;                        /* what recordings have been told (cpu_drain.c) */
    uint64_t agent_cpu_ns;
};

/*
 * cpu_choose.c: chooses the signal and the timer of cpu=samples: those that the options name,
 * otherwise the best ones on this machine.
 */

/** Set c->tick.signal and c->source. Errors: 0; E_UNSUPPORTED after a message: this machine does
 * not have what the options ask for. Context: any. */
int cpu_choose(struct cpu_sampler *c, const struct options_cpu *own);
/**
 * kernel=y: whether threads timed by `source` can have frames of the kernel. If not, one line says
 * why and what the user can do. Context: any, not signal.
 */
bool cpu_choose_kernel(const struct timer_source *source);

/*
 * cpu_tick.c: the memory of the signal handler of cpu=samples (safe/tick.h).
 *
 * The depth of the stacks and the interval can change while samples are taken.
 */

/** How many frames are walked for traces of `depth` frames. It is more than `depth`, so that a
 * tracker on top of the stack costs the trace no frame. */
uint32_t cpu_tick_depth(uint32_t depth);
/** Make the ring and the lists of threads. Errors: 0, or negative after a message. Context: any. */
int cpu_tick_make(struct cpu_sampler *c, const struct options *o);
/**
 * Change the depth (`shown` frames in traces) and the interval. Samples in the ring keep their
 * depth. Timers go on with the new interval from the point where they were in the old one.
 * Errors: 0; negative after a message: nothing has changed. Needs the agent's lock.
 */
int cpu_tick_change(struct cpu_sampler *c, uint32_t shown, uint64_t interval_ns);
/** Wait a while for handlers that still run. Returns whether no handler runs any more. Call this
 * after tick_stop(). */
bool cpu_tick_settle(void);

/*
 * cpu_loop.c: the sampling thread of cpu=samples.
 *
 * The thread empties the ring ten times a second, or when the ring is a quarter full. It looks for
 * new threads, and makes sure that the agent's handler keeps the signal.
 */

/** The function of the thread; `argument` is the struct cpu_sampler. Runs until the sampler's
 * `stop` is set, and rings `stopped` at the end. Context: java, no lock. */
void JNICALL cpu_loop(jvmtiEnv *jvmti, JNIEnv *env, void *argument);

/*
 * cpu_drain.c: takes samples out of the ring and counts them for the recordings.
 *
 * All functions need the agent's lock.
 */

/** Count the samples that are in the ring. */
void cpu_drain(struct cpu_sampler *c);
/** Add the CPU time that has become no sample since the last call, and the counts of signals, to
 * all recordings that sample now. */
void cpu_drain_outside(struct cpu_sampler *c);
