/*
 * perf_sampler.h - what the files of samples by a perf event share: the threads' events, the ring,
 * and the agent's thread that empties it.
 *
 * The agent's lock guards the fields, except those that only handlers or only the agent's thread
 * use.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/agent.h"
#include "base/lock.h"
#include "base/perf_attr.h"
#include "safe/bell.h"
#include "safe/counted.h"

struct thread;

/** The counts of one recording, in events unless said otherwise. */
struct perf_counts {
    uint64_t samples; /* count of samples */
    uint64_t walked, failed, lost, rest, caused;
};

/** What the handlers and the threads that ended have counted, before recordings are told. */
struct perf_outside {
    uint64_t lost, rest, caused;
};

struct perf_sampler {
    struct agent *agent;
    struct counted counted;
    struct perf_attr event;
    struct perf_event_attr attr; /* of each thread's event */
    bool sees_kernel, running;
    int signal;
    void *ring;
    size_t ring_bytes;
    struct bell wake, stopped;
    _Atomic bool stop;
    bool thread_runs;
    struct {
        struct lock lock;     /* of this struct and the slots; taken after the agent's */
        uint32_t high;        /* slots from this index on were never used */
        int held;             /* descriptors */
        uint64_t rest;        /* events of threads that ended, after their last sample */
        uint64_t refused;     /* threads without an event */
        int refused_error;    /* of the last of them */
        uint64_t links, laps; /* of /proc/self/task; looks since all threads were looked at */
        bool is_closed;       /* no more threads are measured */
    } threads;
    struct perf_outside told;
    struct perf_counts of[AGENT_RECORDINGS]; /* by the places of recordings */
};

/*
 * perf_threads.c: which threads are measured, each with its event. Java threads come and go with
 * their own events; all others are found in /proc/self/task, a lap of the agent's thread after they
 * have started at most. Context: any, not signal.
 */

void perf_threads_init(struct perf_sampler *p);
/** A Java thread begins, or is found. */
void perf_threads_enter(struct perf_sampler *p, const struct thread *thread);
/** The calling Java thread ends. */
void perf_threads_leave(struct perf_sampler *p, const struct thread *thread);
/** Find threads that are no Java threads, and those that have ended; start events again that stand
 * still because their signal was lost. Context: the agent's thread. */
void perf_threads_look(struct perf_sampler *p);
/** From now on events raise p->signal. */
void perf_threads_use_signal(struct perf_sampler *p);
/** The events of all threads, also of those that ended, that are in no sample. */
uint64_t perf_threads_rest(struct perf_sampler *p);
/** Close all events; no handler may run. */
void perf_threads_stop(struct perf_sampler *p);

/*
 * perf_drain.c: from the ring to the recordings. Needs the agent's lock. Context: java.
 */

/** Count what has come since the last call. */
void perf_drain(struct perf_sampler *p);
/** Tell the recordings what the samples do not show. */
void perf_drain_outside(struct perf_sampler *p);
