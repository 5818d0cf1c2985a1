/*
 * slots.h - which threads are sampled, each with its timer.
 *
 * Java threads are opened by their start event or at attach; every other thread of the process (GC,
 * compilers, the application's native threads) is found by looking at /proc/self/task and only
 * counted. Has its own lock, taken after the agent's. Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "agent/thread_role.h"
#include "agent/timer/timer.h"
#include "agent/timer_count.h"
#include "base/lock.h"
#include "safe/tick.h"

struct thread;
struct vm_threads_row;

struct slots {
    struct tick *tick;
    const struct timer_source *source;
    const struct vm_threads_row *per_thread; /* of whom they serve: a pointer to a thread's slot */
    uint64_t interval_ns;
    struct lock lock;
    uint32_t high;     /* slots at and above were never used */
    int32_t agent_tid; /* never sampled; 0 none */
    bool stopped;
    bool is_off;                       /* new slots are off */
    uint64_t seed;                     /* of the random phases */
    uint64_t ticks[THREAD_ROLE_COUNT]; /* of threads that have ended */
    uint64_t without_kernel;     /* threads whose kernel frames are wanted and cannot be had */
    uint64_t refused;            /* threads that got no timer at all */
    int refused_error;           /* why the last of them; 0: nobody was refused */
    uint64_t armed[TIMER_COUNT]; /* threads by timer source, in the order of timer_all */
    bool moves_wanted;   /* a slot may have a signal or a descriptor that it should not keep */
    bool gives_back;     /* descriptors became short: until none is held */
    uint32_t gaps_at;    /* where gaps.c goes on looking */
    uint64_t task_links; /* link count of /proc/self/task at the last look */
    uint32_t looks_since_full;
};

/** `per_thread` has room for a pointer. */
void slots_init(struct slots *s, struct tick *tick, const struct timer_source *source,
                const struct vm_threads_row *per_thread, uint64_t interval_ns);

/** Sample a Java thread that is not the agent's own. No slot or no timer left: counted. */
void slots_enter(struct slots *s, struct thread *thread);
/** Sample it no longer. Nothing happens before slots_init(). */
void slots_leave(struct slots *s, struct thread *thread);
/** Sample threads no longer, or again: `thread`, or (NULL) all, those to come included. */
void slots_turn(struct slots *s, struct thread *thread, bool is_on);
/** Find threads that came and went; cheap when nothing has changed. */
void slots_look(struct slots *s);
/**
 * Signals may have been lost, since the handler was not ours for a while, or did not work: get all
 * timers going. What was due by now is counted as missed.
 */
void slots_restart(struct slots *s);
/**
 * From now on timers raise `signal`; those that are there are made anew, by this call or, where a
 * handler is running, by the next looks. Errors: 0, -errno: all is as before.
 */
int slots_use_signal(struct slots *s, int signal);
/**
 * From now on a sample is due after each `interval_ns`; a thread's time since its last sample is
 * part of its next one. No handler runs until tick_go_on().
 */
void slots_use_interval(struct slots *s, uint64_t interval_ns);
/** Stop all timers. After it nothing opens any more. */
void slots_stop(struct slots *s);
/** Intervals of CPU time by role so far. */
void slots_ticks(struct slots *s, uint64_t ret_ticks[THREAD_ROLE_COUNT]);
/**
 * Intervals of the next thread from place *at on that has lost samples since it was last asked
 * for; *ret_serial is 0 for one that is not Java's. 0: no other has.
 */
uint32_t slots_lost(struct slots *s, uint32_t *at, uint32_t *ret_serial);
