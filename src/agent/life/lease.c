/*
 * lease.c - see lease.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/life/lease.h"
#include <pthread.h>
#include "agent/agent.h"
#include "agent/names/threads.h"
#include "agent/recording/recording.h"
#include "base/lock.h"
#include "safe/clock.h"

enum {
    /* the time between two looks whether a command still waits for a recording */
    LEFT_NS = 500000000,
};

static struct {
    struct lock lock;
    pthread_cond_t changed;
    bool has_clock;
    uint32_t changes; /* changes of the recordings to wait for */
    uint32_t run;     /* grows by one when a waiting thread is to end */
    bool has_thread;
    struct agent *agent;
    lease_over *over;
} lease = {.lock = LOCK_INIT(LEASE)};

/*
 * Make the condition wait by the monotonic clock, because durations must not follow changes of the
 * date. Needs the lock.
 */
static void prepare(void)
{
    pthread_condattr_t attributes;
    if (lease.has_clock)
        return;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&lease.changed, &attributes);
    pthread_condattr_destroy(&attributes);
    lease.has_clock = true;
}

/* When the recording, or its file, ends by itself; 0: never. */
static uint64_t end_of(struct recording *r)
{
    if (recording_is_left(r))
        return 1; /* a time long ago: the recording ends now */

    uint64_t duration_end =
                 r->options.ends.duration_ns ? r->began_ns + r->options.ends.duration_ns : 0,
             lease_end = r->lease_ns ? r->lease_end_ns : 0,
             end = !lease_end || (duration_end && duration_end < lease_end) ? duration_end
                                                                            : lease_end;

    return !end || (r->turn_ns && r->turn_ns < end) ? r->turn_ns : end;
}

/* The recording that ends next, or that must be looked at, and the time. 0: there is none. */
static uint32_t next_end(struct agent *a, uint64_t *ret_end_ns)
{
    uint32_t number = 0;
    uint64_t look_ns = clock_monotonic_ns() + LEFT_NS;
    agent_lock(a);
    for (int i = 0; i < AGENT_RECORDINGS; i++) {
        struct recording *r = a->recordings[i];
        uint64_t end_ns = r && r->is_counting ? end_of(r) : 0;
        if (end_ns > look_ns && r->output.held.is_held)
            end_ns = look_ns;

        if (end_ns && (!number || end_ns < *ret_end_ns)) {
            number = r->number;
            *ret_end_ns = end_ns;
        }
    }
    agent_unlock(a);
    return number;
}

static uint32_t changes_now(void)
{
    uint32_t changes;
    lock_take(&lease.lock);
    changes = lease.changes;
    lock_give(&lease.lock);
    return changes;
}

/*
 * Wait until `end_ns` (0: for ever) or until something changes. Returns whether this thread is
 * still wanted.
 */
static bool wait_until(uint64_t end_ns, uint32_t seen, uint32_t run)
{
    struct timespec until = {(time_t)(end_ns / NS_PER_S), (long)(end_ns % NS_PER_S)};
    bool is_over = false, is_wanted;
    lock_take(&lease.lock);
    while (lease.run == run && lease.changes == seen && !is_over) {
        if (end_ns)
            is_over = pthread_cond_timedwait(&lease.changed, &lease.lock.mutex, &until) != 0;
        else
            pthread_cond_wait(&lease.changed, &lease.lock.mutex);
    }
    is_wanted = lease.run == run;
    lock_give(&lease.lock);
    return is_wanted;
}

static void JNICALL wait_loop(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    struct agent *a = lease.agent;
    uint32_t run = (uint32_t)(uintptr_t)argument, number, seen;
    uint64_t end_ns = 0;
    agent_exempt_begin();
    threads_begin_agent(a, env);
    do {
        seen = changes_now();
        number = next_end(a, &end_ns);
        if (number && end_ns <= clock_monotonic_ns())
            lease.over(a, env, number);
    } while (wait_until(number ? end_ns : 0, seen, run));
    agent_exempt_end();
}

static void change(void)
{
    prepare();
    lease.changes++;
    pthread_cond_broadcast(&lease.changed);
}

void lease_begin(struct agent *a, struct recording *r, JNIEnv *env, lease_over *over)
{
    uint32_t run;
    bool is_first;
    int error = 0;
    if (!end_of(r))
        return;
    agent_lock(a);
    /* a slow start may have used up the lease: JDK 8 is slow to change many classes */
    lease_renew(r);
    agent_unlock(a);
    lock_take(&lease.lock);
    run = lease.run;
    lease.agent = a;
    is_first = !lease.has_thread;
    lease.has_thread = true;
    lease.over = over;
    change();
    lock_give(&lease.lock);
    if (is_first) {
        agent_lock(a);
        error =
            agent_run_thread(a, env, "HPROF duration thread", wait_loop, (void *)(uintptr_t)run);
        agent_unlock(a);
    }
    if (error) { /* the message is printed already; the next lease_begin() tries again */
        lock_take(&lease.lock);
        lease.has_thread = false;
        lock_give(&lease.lock);
    }
}

/* The waiting thread wakes at the earlier end and then looks again. */
void lease_renew(struct recording *r)
{
    r->lease_end_ns = clock_monotonic_ns() + r->lease_ns;
}

void lease_hold(struct recording *r)
{
    r->lease_end_ns = UINT64_MAX;
}

bool lease_is_over(struct agent *a, struct recording *r)
{
    uint64_t end_ns;
    agent_lock(a);
    end_ns = end_of(r);
    agent_unlock(a);
    return end_ns && end_ns <= clock_monotonic_ns();
}

void lease_look_again(void)
{
    lock_take(&lease.lock);
    if (lease.has_thread)
        change();
    lock_give(&lease.lock);
}

void lease_end(void)
{
    lock_take(&lease.lock);
    lease.run++;
    lease.has_thread = false;
    change();
    lock_give(&lease.lock);
}
