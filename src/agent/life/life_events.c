/*
 * life_events.c - see life_events.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/life/life_events.h"
#include "agent/agent.h"
#include "agent/agent_dump.h"
#include "agent/engine/engine.h"
#include "agent/life/life_agent.h"
#include "agent/names.h"
#include "agent/recording.h"
#include "agent/threads.h"
#include "vm/vm_event.h"

static void engines_thread_start(struct agent *a, struct thread *thread)
{
    const struct engine *e;
    for (int at = 0; (e = engine_next(a, &at)) != NULL;) {
        if (e->thread_start)
            e->thread_start(a, thread);
    }
}

static void engines_thread_end(struct agent *a, struct thread *thread)
{
    const struct engine *e;
    for (int at = 0; (e = engine_next(a, &at)) != NULL;) {
        if (e->thread_end)
            e->thread_end(a, thread);
    }
}

static void on_thread_start(void *data, JNIEnv *env, jthread thread)
{
    struct agent *a = data;
    struct thread *t;
    if (!agent_enter(a))
        return;
    if (a->started && !a->dying && !agent_owns_thread(a, env, thread)) {
        t = threads_enter(a, env, thread, 1);
        if (t)
            engines_thread_start(a, t);
    }
    agent_unlock(a);
}

static void on_thread_end(void *data, JNIEnv *env, jthread thread)
{
    struct agent *a = data;
    if (!agent_enter(a))
        return;
    if (a->started && !a->closed)
        threads_leave(a, env, thread, engines_thread_end);
    agent_unlock(a);
}

/* Most virtual threads are not known to the agent: for those nothing is done. */
static void on_virtual_end(void *data, JNIEnv *env, jthread thread)
{
    if (threads_find(thread))
        on_thread_end(data, env, thread);
}

/* Add the class; this event is used only for files that have a record of each class. */
static void on_class_load(void *data, JNIEnv *env, jthread thread, jclass klass)
{
    struct agent *a = data;

    /*
     * While an engine starts, it may load a class with the lock held; such a class is named when it
     * is met.
     */
    if (agent_lock_is_mine(a) || !agent_enter(a))
        return;
    if (a->started && !a->closed)
        names_class(a, klass);
    agent_unlock(a);
}

/* SIGQUIT writes the recordings that the command line, or a load with options, has begun. */
static void on_data_dump(void *data)
{
    struct recording *chosen[AGENT_RECORDINGS];
    struct agent *a = data;
    int count = 0;
    agent_lock(a);
    for (int i = 0; i < AGENT_RECORDINGS; i++)
        if (a->recordings[i] && a->recordings[i]->is_of_options)
            chosen[count++] = a->recordings[i];
    agent_unlock(a);
    for (int i = 0; i < count; i++)
        (void)agent_dump(a, chosen[i]); /* a recording that has ended meanwhile needs no dump */
}

static struct vm_event_subscriber on_threads[] = {
    {.event = VM_EVENT_THREAD_START, .on.thread_start = on_thread_start, .data = &life_agent},
    {.event = VM_EVENT_THREAD_END, .on.thread_end = on_thread_end, .data = &life_agent},
};
static struct vm_event_subscriber on_virtuals = {
    .event = VM_EVENT_VIRTUAL_END, .on.virtual_end = on_virtual_end, .data = &life_agent};
static struct vm_event_subscriber on_class = {
    .event = VM_EVENT_CLASS_LOAD, .on.class_load = on_class_load, .data = &life_agent};
static struct vm_event_subscriber on_dump = {
    .event = VM_EVENT_DATA_DUMP, .on.data_dump = on_data_dump, .data = &life_agent};

void life_events_hear_classes(void)
{
    vm_event_add(&on_class, NULL);
}

void life_events_hear_threads(void)
{
    vm_event_add_all(on_threads, sizeof(on_threads) / sizeof(on_threads[0]), NULL);
    vm_event_add(&on_dump, NULL);
}

void life_events_hear_virtual_ends(void)
{
    vm_event_add(&on_virtuals, NULL);
}
