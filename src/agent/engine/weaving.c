/*
 * weaving.c - see weaving.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/engine/weaving.h"
#include <stdatomic.h>
#include <stdbool.h>
#include "agent/agent.h"
#include "agent/names/threads.h"
#include "safe/bell.h"
#include "safe/clock.h"
#include "vm/injector.h"
#include "vm/injector_later.h"

enum {
    WAIT_MS = 3000, /* longest wait if changing classes is expensive */
    ALL_MS = 60000, /* longest wait if changing classes is cheap */
    RESTS_SOON = 3, /* length of a rest, in stops, if little is left to do */
    SOON_MS = 1000, /* little is left if the coming stops take less than this together */
    LOOK_MS = 100,  /* time between looks during a rest */
    REST_MAX_MS = 5000,
    PIECE_MS = 100,
    PAUSE_MS = 3600000,
    IDLE_MS = 2000, /* time until classes that have not run are looked at again */
};

static struct {
    struct agent *agent;
    _Atomic uint32_t run;           /* grows by one when the thread is to begin again */
    _Atomic uint32_t left, awaited; /* from the last injector_later_step() */
    _Atomic bool is_dear;
    bool has_thread; /* guarded by the agent's lock */
    struct bell wake, done;
} weaving;

static bool has_run(uint32_t run)
{
    return atomic_load(&weaving.run) == run;
}

/* Rest in proportion to the time that the program has lost. */
static uint32_t rest_ms(const struct injector_later_step *s)
{
    uint64_t to_come = s->changed ? s->stop_ns / s->changed * s->left : 0;
    uint32_t rests = to_come < (uint64_t)SOON_MS * NS_PER_MS ? RESTS_SOON : s->rests;
    uint64_t ms = s->stop_ns * rests / NS_PER_MS + 1;
    return ms > REST_MAX_MS ? REST_MAX_MS : (uint32_t)ms;
}

static void rest(JNIEnv *env, uint32_t run, uint32_t ms)
{
    while (ms > LOOK_MS && has_run(run)) {
        bell_wait(&weaving.wake, LOOK_MS);
        ms -= LOOK_MS;
        injector_later_look(env);
    }
    if (has_run(run))
        bell_wait(&weaving.wake, ms);
}

static void weave(JNIEnv *env, uint32_t run)
{
    while (has_run(run)) {
        struct injector_later_step s = injector_later_step(env);
        if (!has_run(run))
            break;
        atomic_store(&weaving.left, s.left);
        atomic_store(&weaving.awaited, s.awaited);
        atomic_store(&weaving.is_dear, s.is_dear);
        if (s.left == 0)
            bell_ring(&weaving.done);
        if (s.left == 0 && s.idle == 0)
            break;
        if (s.left == 0)
            bell_wait(&weaving.wake, IDLE_MS);
        else
            rest(env, run, rest_ms(&s));
    }
}

static void JNICALL loop(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    agent_exempt_begin();
    for (;;) {
        uint32_t run = atomic_load(&weaving.run);
        /* a recording that begins has forgotten all threads */
        threads_begin_agent(weaving.agent, env);
        weave(env, run);
        while (has_run(run))
            bell_wait(&weaving.wake, PAUSE_MS);
    }
}

static void wait_for_it(enum weaving_how how)
{
    bool is_done = how == WEAVING_ASIDE;
    for (uint32_t ms = 0; !is_done && !weaving.agent->vm_ends; ms += PIECE_MS) {
        uint32_t most = atomic_load(&weaving.is_dear) ? WAIT_MS : ALL_MS;
        is_done = bell_wait(&weaving.done, PIECE_MS) != 0;
        if (ms >= most && atomic_load(&weaving.awaited) == 0)
            is_done = true;
    }
}

void weaving_carry_out(struct agent *a, JNIEnv *env, enum weaving_how how)
{
    int error = 0;
    if (how != WEAVING_ASIDE)
        bell_wait(&weaving.done, 0);
    atomic_store(&weaving.awaited, UINT32_MAX);
    atomic_store(&weaving.is_dear, false);
    weaving.agent = a;
    uint32_t run = atomic_fetch_add(&weaving.run, 1) + 1;
    agent_lock(a);
    if (!weaving.has_thread)
        error = agent_run_lasting_thread(a, env, "HPROF weaving thread", loop, NULL);
    weaving.has_thread = error == 0;
    agent_unlock(a);
    if (error) {
        weave(env, run);
        return;
    }
    bell_ring(&weaving.wake);
    wait_for_it(how);
}

bool weaving_plan(JNIEnv *env)
{
    int plan = injector_later_plan(env);
    if (plan < 0)
        injector_apply(env);
    return plan > 0;
}

void weaving_apply(struct agent *a, JNIEnv *env, enum weaving_how how)
{
    if (how == WEAVING_AT_ONCE)
        injector_apply(env);
    else if (weaving_plan(env))
        weaving_carry_out(a, env, how);
}

uint32_t weaving_left(void)
{
    return atomic_load(&weaving.left);
}
