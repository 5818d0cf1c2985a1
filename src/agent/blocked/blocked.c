/*
 * blocked.c - see blocked.h.
 *
 * Each user has its own subscriptions to the events, so a user may come or go while another user
 * measures.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/blocked/blocked.h"
#include <stdio.h>
#include "agent/agent.h"
#include "agent/life/life.h"
#include "agent/names/threads.h"
#include "safe/clock.h"

static struct agent *agent;

string_id blocked_text(struct agent *a, const char *class_name, enum blocked_by by)
{
    char text[1024];
    snprintf(text, sizeof(text), "%s (%s)", class_name, by == BLOCKED_PARK ? "Park" : "Java");
    return profile_cstring(a->profile, text);
}

struct thread *blocked_thread(struct agent *a, JNIEnv *env, jthread thread)
{
    struct thread *t = threads_here();
    if (!t && !agent_lock_is_mine(a) &&
        (thread || (*a->vm.main)->GetCurrentThread(a->vm.main, &thread) == JVMTI_ERROR_NONE) &&
        agent_enter(a)) {
        t = a->closed ? NULL : threads_enter(a, env, thread, 1);
        agent_unlock(a);
    }
    return t && !t->vm->is_own ? t : NULL;
}

static struct blocked_thread *kept_of(const struct blocked_user *u, const struct thread *t)
{
    return vm_threads_slot(t->vm, u->row);
}

/* ---- events, on the thread itself; `data` is the user */

static void on_enter(void *data, JNIEnv *env, jthread thread, jobject object)
{
    const struct blocked_user *u = data;
    struct blocked b = {.by = BLOCKED_ENTER, .object = object, .start_ns = clock_monotonic_ns()};
    b.thread = blocked_thread(agent, env, thread);
    if (!b.thread)
        return;
    u->begins(env, &b);
    kept_of(u, b.thread)->enter_ns = b.start_ns;
}

static void on_entered(void *data, JNIEnv *env, jthread thread, jobject object)
{
    const struct blocked_user *u = data;
    struct blocked b = {.by = BLOCKED_ENTER,
                        .object = object,
                        .end_ns = clock_monotonic_ns(),
                        .thread = threads_here()};
    struct blocked_thread *kept = b.thread ? kept_of(u, b.thread) : NULL;
    if (!kept || !kept->enter_ns)
        return;
    b.start_ns = kept->enter_ns;
    kept->enter_ns = 0;
    u->ends(env, &b);
}

static struct blocked a_wait(jobject object, int64_t limit_ms)
{
    return (struct blocked){.by = BLOCKED_WAIT,
                            .object = object,
                            .limit = limit_ms ? BLOCKED_FOR_MS : BLOCKED_FOR_EVER,
                            .limit_value = limit_ms};
}

static void on_wait(void *data, JNIEnv *env, jthread thread, jobject object, jlong limit_ms)
{
    const struct blocked_user *u = data;
    struct blocked b = a_wait(object, limit_ms);
    struct blocked_thread *kept;
    b.thread = blocked_thread(agent, env, thread);
    if (!b.thread)
        return;
    b.start_ns = clock_monotonic_ns();
    u->begins(env, &b);
    kept = kept_of(u, b.thread);
    kept->wait_limit_ms = limit_ms;
    kept->wait_ns = clock_monotonic_ns(); /* the time in begins() does not count as waiting */
}

static void on_waited(void *data, JNIEnv *env, jthread thread, jobject object, jboolean timed_out)
{
    uint64_t end_ns = clock_monotonic_ns();
    const struct blocked_user *u = data;
    struct thread *t = threads_here();
    struct blocked_thread *kept = t ? kept_of(u, t) : NULL;
    if (!kept || !kept->wait_ns)
        return;
    struct blocked b = a_wait(object, kept->wait_limit_ms);

    b.thread = t;
    b.start_ns = kept->wait_ns;
    b.end_ns = end_ns;
    b.has_timed_out = timed_out != JNI_FALSE;
    kept->wait_ns = 0;
    u->ends(env, &b);
}

/* ---- life */

void blocked_begin(struct agent *a, JNIEnv *env, struct blocked_user *u, bool with_parks)
{
    const struct vm_event_subscriber heard[BLOCKED_EVENTS] = {
        {.event = VM_EVENT_MONITOR_ENTER, .on.monitor_enter = on_enter, .data = u},
        {.event = VM_EVENT_MONITOR_ENTERED, .on.monitor_entered = on_entered, .data = u},
        {.event = VM_EVENT_MONITOR_WAIT, .on.monitor_wait = on_wait, .data = u},
        {.event = VM_EVENT_MONITOR_WAITED, .on.monitor_waited = on_waited, .data = u},
    };
    agent = a;
    life_run_hear_virtual_ends(a);
    for (int i = 0; i < BLOCKED_EVENTS; i++)
        u->heard[i] = heard[i];
    vm_event_add_all(u->heard, BLOCKED_EVENTS, NULL);
    if (with_parks)
        blocked_park_begin(a, env, u);
}

void blocked_end(struct blocked_user *u)
{
    vm_event_remove_all(u->heard, BLOCKED_EVENTS);
    blocked_park_end(u);
}

int blocked_settle(struct blocked_user *u)
{
    return blocked_park_settle(u);
}
