/*
 * recording.c - see recording.h.
 *
 * Who ends a recording when its time is over is a thread of the agent that waits for nothing else.
 * It knows the recording's number, so one that wakes too late ends nobody else's.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/recording.h"
#include <pthread.h>
#include <stdio.h>
#include "agent/agent.h"
#include "agent/exempt.h"
#include "agent/threads.h"
#include "base/lock.h"
#include "safe/clock.h"

enum { NS_PER_S = 1000000000 };

static struct {
    struct lock lock;
    pthread_cond_t changed;
    uint32_t running; /* the number of the recording; 0: none */
    recording_over *over;
    int has_clock;
} ends = {.lock = LOCK_INIT(RECORDING)};

/* Waits by the monotonic clock, as durations are meant. Needs the lock. */
static void prepare(void)
{
    pthread_condattr_t attributes;

    if (ends.has_clock)
        return;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&ends.changed, &attributes);
    pthread_condattr_destroy(&attributes);
    ends.has_clock = 1;
}

/* Returns whether it still runs when its time is over. */
static int wait_for_end(uint32_t number, uint64_t end_ns)
{
    struct timespec until = {(time_t)(end_ns / NS_PER_S), (long)(end_ns % NS_PER_S)};
    int is_over = 0, runs;

    lock_take(&ends.lock);
    while (ends.running == number && !is_over)
        is_over = pthread_cond_timedwait(&ends.changed, &ends.lock.mutex, &until) != 0;
    runs = ends.running == number;
    lock_give(&ends.lock);
    return runs;
}

static void JNICALL end_loop(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    struct agent *a = argument;
    jthread self = NULL;
    uint32_t number;
    uint64_t end_ns;

    exempt_begin();
    agent_lock(a);
    number = a->recording->number;
    end_ns = a->recording->began_ns + a->options.duration_ns;
    if ((*jvmti)->GetCurrentThread(jvmti, &self) == JVMTI_ERROR_NONE)
        threads_enter_agent(a, self);
    agent_unlock(a);
    if (wait_for_end(number, end_ns))
        ends.over(a, env, number);
    exempt_end();
}

void recording_begin(struct agent *a, JNIEnv *env, recording_over *over)
{
    struct recording *r = a->recording;

    r->number++;
    r->began = time(NULL);
    r->began_ns = clock_monotonic_ns();
    snprintf(r->name, sizeof(r->name), "%u", r->number);
    lock_take(&ends.lock);
    prepare();
    ends.running = r->number;
    ends.over = over;
    lock_give(&ends.lock);
    if (a->options.duration_ns)
        agent_run_thread(a, env, "HPROF duration thread", end_loop, a);
}

void recording_end(struct agent *a)
{
    lock_take(&ends.lock);
    prepare();
    ends.running = 0;
    pthread_cond_broadcast(&ends.changed);
    lock_give(&ends.lock);
}

double recording_seconds(const struct recording *r)
{
    return (double)(clock_monotonic_ns() - r->began_ns) / NS_PER_S;
}
