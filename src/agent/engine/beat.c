/*
 * beat.c - see beat.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/engine/beat.h"
#include <stdatomic.h>
#include <stdbool.h>
#include "agent/agent.h"
#include "agent/engine/engine.h"
#include "agent/names/threads.h"
#include "agent/recording/recording.h"
#include "agent/scope/scope_publish.h"
#include "agent/scope/scope_published.h"
#include "safe/bell.h"

enum {
    BEAT_MS = 1000,
    BUSY_MS = 20, /* after this time a lock that was not free is tried again */
};

static struct {
    struct agent *agent;
    _Atomic uint32_t run;      /* grows by one when the thread is to end */
    bool has_thread;           /* guarded by the lock of life */
    _Atomic bool has_contexts; /* of has_contexts(), when the agent's lock was held last */
    struct bell wake;
} beats;

static bool has_run(uint32_t run)
{
    return atomic_load(&beats.run) == run;
}

/* Whether a recording has a place for what threads work for, or publishes it. Needs the agent's
 * lock. */
static bool has_contexts(const struct agent *a)
{
    if (scope_publish_is_wanted())
        return true;
    for (int i = 0; i < AGENT_RECORDINGS; i++)
        if (a->recordings[i] && recording_can(a->recordings[i], WRITER_CONTEXTS))
            return true;
    return false;
}

/*
 * Call beat() of each engine at work. Returns whether the agent's lock was free. An engine is not
 * released meanwhile, because that needs the lock.
 */
static bool beat(struct agent *a, JNIEnv *env, uint32_t run)
{
    const struct engine *e;
    if (!agent_try_lock(a))
        return false;
    atomic_store(&beats.has_contexts, has_contexts(a));
    for (int at = 0; has_run(run) && !a->closed && (e = engine_next(a, &at)) != NULL;)
        if (e->beat)
            e->beat(a, env);
    agent_unlock(a);
    return true;
}

static void look(void)
{
    scope_published_look();
    scope_publish_look();
}

static void JNICALL loop(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    struct agent *a = beats.agent;
    uint32_t run = (uint32_t)(uintptr_t)argument, wait_ms = BEAT_MS;
    agent_exempt_begin();
    threads_begin_agent(a, env);
    while (has_run(run)) {
        bell_wait(&beats.wake, wait_ms);
        if (has_run(run) && beats.has_contexts)
            look();
        wait_ms = !has_run(run) || beat(a, env, run) ? BEAT_MS : BUSY_MS;
    }
    agent_exempt_end();
}

/* Whether an engine at work has a beat. */
static bool has_beat(const struct agent *a)
{
    const struct engine *e;
    for (int at = 0; (e = engine_next(a, &at)) != NULL;)
        if (e->beat)
            return true;
    return false;
}

void beat_begin(struct agent *a, JNIEnv *env)
{
    agent_lock(a);
    bool follows = has_contexts(a);
    atomic_store(&beats.has_contexts, follows);
    if (!beats.has_thread && (follows || has_beat(a))) {
        beats.agent = a;
        beats.has_thread = agent_run_thread(a, env, "HPROF beat thread", loop,
                                            (void *)(uintptr_t)atomic_load(&beats.run)) == 0;
    }
    agent_unlock(a);
    if (follows)
        look();
}

void beat_end(void)
{
    if (!beats.has_thread)
        return;
    atomic_fetch_add(&beats.run, 1);
    beats.has_thread = false;
    bell_ring(&beats.wake);
}
