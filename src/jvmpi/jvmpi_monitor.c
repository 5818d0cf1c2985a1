/*
 * jvmpi_monitor.c - see jvmpi_monitor.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_monitor.h"
#include <jvmti.h>
#include <time.h>
#include "jvmpi/jvmpi_alloc.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_send.h"
#include "jvmpi/jvmpi_thread.h"
#include "vm/vm_env.h"
#include "vm/vm_event.h"

enum { MS_PER_S = 1000, NS_PER_MS = 1000000 };

/* What a thread waits for at the moment: one thing at a time. */
static __thread struct {
    JNIEnv *owner; /* of the monitor that it is entering; NULL: not known */
    jlong wait_began_ms;
} waiting;

static jlong now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (jlong)t.tv_sec * MS_PER_S + t.tv_nsec / NS_PER_MS;
}

/* Who is told of an event of the calling thread; nobody before its THREAD_START. */
static jvmpi_agents whom(JNIEnv *env, jint event)
{
    jvmpi_agents agents = jvmpi_send_whom(event);

    return agents && jvmpi_thread_is_open(env) ? agents : 0;
}

static void send(JNIEnv *env, jvmpi_agents agents, jint event, JNIEnv *about, jobject object)
{
    JVMPI_Event e = {.event_type = event, .env_id = about};

    if (!agents)
        return;
    e.u.monitor.object = jvmpi_alloc_named(env, object);
    jvmpi_send_to(agents, &e);
}

static JNIEnv *owner_of(JNIEnv *env, jobject object)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jvmtiMonitorUsage usage = {.owner = NULL};
    JNIEnv *owner = NULL;

    if ((*jvmti)->GetObjectMonitorUsage(jvmti, object, &usage) != JVMTI_ERROR_NONE)
        return NULL;
    if (usage.owner)
        owner = jvmpi_thread_env(env, usage.owner);
    for (jint i = 0; i < usage.waiter_count; i++)
        (*env)->DeleteLocalRef(env, usage.waiters[i]);
    for (jint i = 0; i < usage.notify_waiter_count; i++)
        (*env)->DeleteLocalRef(env, usage.notify_waiters[i]);
    (*env)->DeleteLocalRef(env, usage.owner);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)usage.waiters);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)usage.notify_waiters);
    return owner;
}

static void on_enter(void *data, JNIEnv *env, jthread thread, jobject object)
{
    waiting.owner = NULL;
    if (whom(env, JVMPI_EVENT_MONITOR_CONTENDED_EXIT))
        waiting.owner = owner_of(env, object);
    send(env, whom(env, JVMPI_EVENT_MONITOR_CONTENDED_ENTER), JVMPI_EVENT_MONITOR_CONTENDED_ENTER,
         env, object);
}

static void on_entered(void *data, JNIEnv *env, jthread thread, jobject object)
{
    if (waiting.owner)
        send(env, whom(env, JVMPI_EVENT_MONITOR_CONTENDED_EXIT), JVMPI_EVENT_MONITOR_CONTENDED_EXIT,
             waiting.owner, object);
    waiting.owner = NULL;
    send(env, whom(env, JVMPI_EVENT_MONITOR_CONTENDED_ENTERED),
         JVMPI_EVENT_MONITOR_CONTENDED_ENTERED, env, object);
}

static void send_wait(JNIEnv *env, jint event, jobject object, jlong ms)
{
    jvmpi_agents agents = whom(env, event);
    JVMPI_Event e = {.event_type = event, .env_id = env};

    if (!agents)
        return;
    e.u.monitor_wait.object = jvmpi_alloc_named(env, object);
    e.u.monitor_wait.timeout = ms;
    jvmpi_send_to(agents, &e);
}

static void on_wait(void *data, JNIEnv *env, jthread thread, jobject object, jlong timeout_ms)
{
    send_wait(env, JVMPI_EVENT_MONITOR_WAIT, object, timeout_ms);
    waiting.wait_began_ms = now_ms();
}

static void on_waited(void *data, JNIEnv *env, jthread thread, jobject object, jboolean timed_out)
{
    jlong began = waiting.wait_began_ms;

    send_wait(env, JVMPI_EVENT_MONITOR_WAITED, object, began ? now_ms() - began : 0);
    waiting.wait_began_ms = 0;
}

static struct vm_event_subscriber contended[] = {
    {.event = VM_EVENT_MONITOR_ENTER, .on.monitor_enter = on_enter},
    {.event = VM_EVENT_MONITOR_ENTERED, .on.monitor_entered = on_entered},
};
static struct vm_event_subscriber waits[] = {
    {.event = VM_EVENT_MONITOR_WAIT, .on.monitor_wait = on_wait},
    {.event = VM_EVENT_MONITOR_WAITED, .on.monitor_waited = on_waited},
};

/* Several JVMPI events have one source: it is on while any of them is wanted. */
static int contended_users, wait_users;

int jvmpi_monitor_contended_on(JNIEnv *env)
{
    int error = 0;

    vm_env_ask(&jvmpi_bridge.vm, jvmpi_bridge.vm.main, VM_CAN_GET_MONITOR_INFO, NULL);
    if (contended_users == 0)
        error = vm_event_add_all(contended, 2, NULL);
    contended_users += !error;
    return error;
}

void jvmpi_monitor_contended_off(void)
{
    if (--contended_users == 0)
        vm_event_remove_all(contended, 2);
}

int jvmpi_monitor_wait_on(JNIEnv *env)
{
    int error = 0;

    if (wait_users == 0)
        error = vm_event_add_all(waits, 2, NULL);
    wait_users += !error;
    return error;
}

void jvmpi_monitor_wait_off(void)
{
    if (--wait_users == 0)
        vm_event_remove_all(waits, 2);
}
