/*
 * slots.h - which threads are sampled, each with its timer.
 *
 * A Java thread gets its slot at its start event, or when the agent is attached. Every other thread
 * of the process (GC, compilers, the application's native threads) is found in /proc/self/task, and
 * its samples are only counted. The slots have their own lock, taken after the agent's. Context:
 * any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "agent/sampling/thread_role.h"
#include "agent/timer/timer.h"
#include "agent/timer_count.h"
#include "base/lock.h"
#include "safe/tick.h"

struct thread;
struct vm_threads_row;

struct slots {
    struct tick *tick;
    const struct timer_source *source;
    const struct vm_threads_row *per_thread; /* the row that has a thread's pointer to its slot */
    uint64_t interval_ns;
    struct lock lock;
    uint32_t high;     /* slots from this index on were never used */
    int32_t agent_tid; /* this thread is never sampled; 0: none */
    bool stopped;
    bool is_off;                       /* new slots do not sample */
    uint64_t seed;                     /* state of the random phases */
    uint64_t ticks[THREAD_ROLE_COUNT]; /* of threads that have ended */
    uint64_t without_kernel;     /* threads whose kernel frames are wanted and cannot be had */
    uint64_t refused;            /* threads that got no timer */
    int refused_error;           /* the error of the last of them; 0: none was refused */
    uint64_t armed[TIMER_COUNT]; /* threads by timer source, in the order of timer_all */
    bool moves_wanted;   /* a slot may have a signal or a descriptor that it should not keep */
    bool gives_back;     /* descriptors are short: timers give theirs back until none is left */
    uint32_t gaps_at;    /* the slot at which gaps_look() goes on */
    uint64_t task_links; /* link count of /proc/self/task at the last look */
    uint32_t looks_since_full;
};

/** `per_thread` has room for a pointer. */
void slots_init(struct slots *s, struct tick *tick, const struct timer_source *source,
                const struct vm_threads_row *per_thread, uint64_t interval_ns);

/**
 * Sample a Java thread that is not the agent's own. If there is no slot or timer, that is counted.
 */
void slots_enter(struct slots *s, struct thread *thread);
/** End the sampling of a thread. Does nothing before slots_init(). */
void slots_leave(struct slots *s, struct thread *thread);
/** Turn sampling off or on, for `thread`, or for all threads including later ones (NULL). */
void slots_turn(struct slots *s, struct thread *thread, bool is_on);
/** Find threads that have started or ended; cheap if nothing has changed. */
void slots_look(struct slots *s);
/**
 * Start all timers again, because signals may have been lost: the handler was replaced for a while,
 * or did not work. Time that was due before now is counted as missed.
 */
void slots_restart(struct slots *s);
/**
 * From now on timers raise `signal`. Existing timers are made anew by this call or, if a handler is
 * running, by a later slots_look(). Errors: 0; -errno: nothing has changed.
 */
int slots_use_signal(struct slots *s, int signal);
/**
 * From now on a sample is due after each `interval_ns`. The time of a thread since its last sample
 * counts in its next sample. No handler may run before tick_go_on().
 */
void slots_use_interval(struct slots *s, uint64_t interval_ns);
/** Stop all timers. After this call no slot is opened. */
void slots_stop(struct slots *s);
/** CPU time so far of threads that are not Java's, in intervals, by role. */
void slots_ticks(struct slots *s, uint64_t ret_ticks[THREAD_ROLE_COUNT]);
/**
 * The next thread from place *at on that has lost samples since the last call for it: returns how
 * many intervals. *ret_serial is 0 for a thread that is not Java's. 0: no other thread has lost
 * samples.
 */
uint32_t slots_lost(struct slots *s, uint32_t *at, uint32_t *ret_serial);
