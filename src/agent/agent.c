/*
 * agent.c - see agent.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/agent.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>
#include "agent/log.h"
#include "base/err.h"
#include "base/lock.h"
#include "safe/clock.h"
#include "vm/vm_threads.h"

enum {
    OBJECT_ID = 0x50000000,  /* the high digit of object ids in files */
    PATIENCE_NS = 500000000, /* how long agent_enter_in_time() waits */
    LATE_NS = 2000000000,
    EXEMPT_MAX = 32,
};

/* ---- locks */

void agent_life_lock(struct agent *a)
{
    lock_take(&a->locks.life);
}

bool agent_life_try_lock(struct agent *a)
{
    return lock_try(&a->locks.life);
}

void agent_life_unlock(struct agent *a)
{
    lock_give(&a->locks.life);
}

static void note_owner(struct agent *a)
{
    atomic_store_explicit(&a->locks.owner, (uintptr_t)pthread_self(), memory_order_relaxed);
    log_hold(); /* standard error may be slow, so messages wait while the lock is held */
}

void agent_lock(struct agent *a)
{
    lock_take(&a->locks.agent);
    note_owner(a);
}

int agent_try_lock(struct agent *a)
{
    if (!lock_try(&a->locks.agent))
        return 0;
    note_owner(a);
    return 1;
}

int agent_enter(struct agent *a)
{
    if (a->dying)
        return agent_try_lock(a);
    agent_lock(a);
    return 1;
}

int agent_enter_in_time(struct agent *a)
{
    uint64_t now = clock_monotonic_ns();
    uint64_t late = atomic_load_explicit(&a->locks.late_ns, memory_order_relaxed);
    if (agent_try_lock(a))
        return 1;
    if (a->dying || now - late < LATE_NS)
        return 0;
    if (!lock_take_within(&a->locks.agent, PATIENCE_NS)) {
        atomic_store_explicit(&a->locks.late_ns, clock_monotonic_ns(), memory_order_relaxed);
        return 0;
    }
    note_owner(a);
    return 1;
}

void agent_unlock(struct agent *a)
{
    struct log_held held;
    log_take_held(&held);
    atomic_store_explicit(&a->locks.owner, 0, memory_order_relaxed);
    lock_give(&a->locks.agent);
    log_put_held(&held);
}

bool agent_lock_is_mine(const struct agent *a)
{
    return atomic_load_explicit(&a->locks.owner, memory_order_relaxed) == (uintptr_t)pthread_self();
}

uint32_t agent_new_object(struct agent *a)
{
    return OBJECT_ID | ++a->next_object;
}

/* ---- the agent's own threads */

int agent_owns_thread(const struct agent *a, JNIEnv *env, jthread thread)
{
    for (int i = 0; i < a->own_threads.count; i++)
        if ((*env)->IsSameObject(env, thread, a->own_threads.refs[i]))
            return 1;
    return a->own_threads.lasting && (*env)->IsSameObject(env, thread, a->own_threads.lasting);
}

/* Free the places of the agent's threads that have ended. */
static void forget_ended(struct agent *a, JNIEnv *env)
{
    int kept = 0;
    for (int i = 0; i < a->own_threads.count; i++) {
        jthread thread = a->own_threads.refs[i];
        jint state = 0;
        if ((*a->vm.main)->GetThreadState(a->vm.main, thread, &state) == JVMTI_ERROR_NONE &&
            (state & JVMTI_THREAD_STATE_TERMINATED))
            (*env)->DeleteGlobalRef(env, thread);
        else
            a->own_threads.refs[kept++] = thread;
    }
    a->own_threads.count = kept;
}

int agent_run_thread(struct agent *a, JNIEnv *env, const char *name, jvmtiStartFunction function,
                     void *argument)
{
    jobject thread = NULL;
    int result = -1;
    forget_ended(a, env);
    if (a->own_threads.count < AGENT_THREADS_MAX)
        result = vm_threads_start(&a->vm, env, name, function, argument, JVMTI_THREAD_MAX_PRIORITY,
                                  &thread);
    if (result)
        log_error("cannot start the thread \"%s\"", name);
    else
        a->own_threads.refs[a->own_threads.count++] = thread;
    return result;
}

int agent_run_lasting_thread(struct agent *a, JNIEnv *env, const char *name,
                             jvmtiStartFunction function, void *argument)
{
    int result = agent_run_thread(a, env, name, function, argument);
    if (result == 0)
        a->own_threads.lasting = a->own_threads.refs[--a->own_threads.count];
    return result;
}

log_function *agent_missed(const struct agent *a, int error)
{
    return error == E_ENDING && !a->dying ? log_note : log_error;
}

void agent_forget_threads(struct agent *a, JNIEnv *env)
{
    while (a->own_threads.count > 0)
        (*env)->DeleteGlobalRef(env, a->own_threads.refs[--a->own_threads.count]);
}

static _Atomic int32_t exempt[EXEMPT_MAX]; /* 0: a free place */

static void change_exempt(int32_t from, int32_t to)
{
    for (int i = 0; i < EXEMPT_MAX; i++) {
        int32_t there = from;
        if (atomic_compare_exchange_strong(&exempt[i], &there, to))
            return;
    }
}

void agent_exempt_begin(void)
{
    change_exempt(0, gettid());
}

void agent_exempt_end(void)
{
    change_exempt(gettid(), 0);
}

bool agent_exempt_has(int32_t tid)
{
    for (int i = 0; i < EXEMPT_MAX; i++)
        if (atomic_load(&exempt[i]) == tid)
            return true;
    return false;
}
