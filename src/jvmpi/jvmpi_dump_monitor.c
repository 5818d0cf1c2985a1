/*
 * jvmpi_dump_monitor.c - see jvmpi_dump_monitor.h.
 *
 * All stacks are those of one moment. The monitors are asked for one by one after that, while
 * threads run.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_dump_monitor.h"
#include <jvmti.h>
#include <stdbool.h>
#include <stdlib.h>
#include "jvmpi/jvmpi_alloc.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_bytes.h"
#include "jvmpi/jvmpi_raw.h"
#include "jvmpi/jvmpi_stacks.h"
#include "jvmpi/jvmpi_suspend.h"
#include "jvmpi/jvmpi_thread.h"
#include "vm/vm_env.h"
#include "vm/vm_heap.h"

/* The monitors that are in the dump already. */
struct seen {
    jobjectID *all;
    jint count, room;
};

struct dump {
    struct jvmpi_bytes bytes;
    struct seen seen;
    struct jvmpi_stacks stacks;
    jint *states; /* one for each stack */
};

void jvmpi_dump_monitor_open(void)
{
    static const enum vm_capability wished[] = {VM_CAN_GET_OWNED_MONITOR_INFO,
                                                VM_CAN_GET_CURRENT_CONTENDED_MONITOR,
                                                VM_CAN_GET_MONITOR_INFO};
    for (size_t i = 0; i < sizeof(wished) / sizeof(wished[0]); i++)
        vm_env_ask(&jvmpi_bridge.vm, jvmpi_bridge.vm.main, wished[i], NULL);
}

/* Note a monitor. Returns whether it is new. */
static bool note(struct seen *s, jobjectID id)
{
    for (jint i = 0; i < s->count; i++)
        if (s->all[i] == id)
            return false;
    if (s->count == s->room) {
        jint room = s->room ? 2 * s->room : 64;
        jobjectID *all = realloc(s->all, (size_t)room * sizeof(jobjectID));
        if (!all)
            return false;
        s->all = all;
        s->room = room;
    }
    s->all[s->count++] = id;
    return true;
}

static void put_threads(struct jvmpi_bytes *b, JNIEnv *env, const jthread *threads, jint count)
{
    jvmpi_bytes_u4(b, (uint32_t)count);
    for (jint i = 0; i < count; i++)
        jvmpi_bytes_pointer(b, jvmpi_thread_env(env, threads[i]));
}

static bool is_among(JNIEnv *env, jthread thread, const jthread *threads, jint count)
{
    for (jint i = 0; i < count; i++)
        if ((*env)->IsSameObject(env, thread, threads[i]))
            return true;
    return false;
}

/* Write the threads that want to enter. Before JDK 23 the VM lists the threads that wait to be
 * notified among them. Source: HotSpot jvmtiEnvBase.cpp, get_object_monitor_usage. */
static void put_entering(struct jvmpi_bytes *b, JNIEnv *env, jvmtiMonitorUsage *usage)
{
    jint count = 0;
    for (jint i = 0; i < usage->waiter_count; i++)
        if (!is_among(env, usage->waiters[i], usage->notify_waiters, usage->notify_waiter_count))
            usage->waiters[count++] = usage->waiters[i];
    put_threads(b, env, usage->waiters, count);
}

/* Write a monitor, given by its object, which may be NULL. */
static void put_monitor(struct dump *d, JNIEnv *env, jobject object)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jvmtiMonitorUsage usage = {.owner = NULL};
    struct jvmpi_bytes *b = &d->bytes;
    jobjectID id = jvmpi_alloc_named(env, object);
    if (!id || !note(&d->seen, id) ||
        (*jvmti)->GetObjectMonitorUsage(jvmti, object, &usage) != JVMTI_ERROR_NONE)
        return;
    jvmpi_bytes_u1(b, JVMPI_MONITOR_JAVA);
    jvmpi_bytes_pointer(b, id);
    jvmpi_bytes_pointer(b, usage.owner ? jvmpi_thread_env(env, usage.owner) : NULL);
    jvmpi_bytes_u4(b, (uint32_t)usage.entry_count);
    put_entering(b, env, &usage);
    put_threads(b, env, usage.notify_waiters, usage.notify_waiter_count);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)usage.waiters);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)usage.notify_waiters);
}

/* Write the monitors that a thread owns, wants to enter or waits for. */
static void put_monitors_of(struct dump *d, JNIEnv *env, jthread thread)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jobject *owned = NULL, wanted = NULL;
    jint count = 0;

    jvmtiError error = vm_heap_owned_monitors(jvmti, thread, &count, &owned);

    jvmpi_alloc_tell_held(env);
    if (error == JVMTI_ERROR_NONE) {
        for (jint i = 0; i < count; i++)
            put_monitor(d, env, owned[i]);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)owned);
    }
    if ((*jvmti)->GetCurrentContendedMonitor(jvmti, thread, &wanted) == JVMTI_ERROR_NONE)
        put_monitor(d, env, wanted);
    else
        wanted = NULL;
    if (!wanted) /* from JDK 23 on the VM tells of no thread that waits to be notified */
        put_monitor(d, env, jvmpi_suspend_waited(env, thread));
}

static void put_envs(struct jvmpi_bytes *b, JNIEnv *const *envs, int count)
{
    jvmpi_bytes_u4(b, (uint32_t)count);
    for (int i = 0; i < count; i++)
        jvmpi_bytes_pointer(b, envs[i]);
}

static void put_raw(const struct jvmpi_raw_state *s, void *arg)
{
    struct jvmpi_bytes *b = arg;
    jvmpi_bytes_u1(b, JVMPI_MONITOR_RAW);
    jvmpi_bytes_pointer(b, s->name);
    jvmpi_bytes_pointer(b, s->id);
    jvmpi_bytes_pointer(b, s->owner);
    jvmpi_bytes_u4(b, (uint32_t)s->entries);
    put_envs(b, s->enters, s->entering);
    put_envs(b, s->waits, s->waiting);
}

/* Make the dump. Returns false if there is no memory. */
static bool make(struct dump *d, JNIEnv *env)
{
    struct jvmpi_stacks *s = &d->stacks;
    if (!jvmpi_stacks_take(s, env))
        return false;
    d->states = calloc((size_t)s->count + 1, sizeof(*d->states));
    for (jint i = 0; d->states && i < s->count; i++) {
        d->states[i] = jvmpi_suspend_status(s->all[i].env);
        put_monitors_of(d, env, s->all[i].thread);
    }
    jvmpi_raw_visit(put_raw, &d->bytes);
    return d->states && jvmpi_stacks_trace(s, env) && !d->bytes.failed;
}

jint jvmpi_dump_monitor_request(JNIEnv *env, int agent)
{
    enum { LOCALS = 65536 }; /* count of local references that -Xcheck:jni accepts */
    JVMPI_Event e = {.event_type = JVMPI_EVENT_MONITOR_DUMP | JVMPI_REQUESTED_EVENT, .env_id = env};
    struct dump d = {.states = NULL};
    bool is_good;
    if ((*env)->PushLocalFrame(env, LOCALS) != JNI_OK)
        return JVMPI_FAIL;
    jvmpi_raw_hold(); /* the dump points to the names of raw monitors */
    is_good = make(&d, env);
    (*env)->PopLocalFrame(env, NULL);
    if (is_good) {
        e.u.monitor_dump.begin = d.bytes.begin;
        e.u.monitor_dump.end = d.bytes.begin + d.bytes.len;
        e.u.monitor_dump.num_traces = d.stacks.count;
        e.u.monitor_dump.traces = d.stacks.traces;
        e.u.monitor_dump.threads_status = d.states;
        jvmpi_send_to(1u << agent, &e);
    }
    jvmpi_raw_let_go();
    jvmpi_stacks_free(&d.stacks);
    free(d.states);
    free(d.seen.all);
    jvmpi_bytes_free(&d.bytes);
    return is_good ? JVMPI_SUCCESS : JVMPI_FAIL;
}
