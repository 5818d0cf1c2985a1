/*
 * life_run.c - see life_own.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/life/life_own.h"
#include <stdbool.h>
#include <stdlib.h>
#include "agent/agent.h"
#include "agent/engine/crew.h"
#include "agent/engine/crew_dump.h"
#include "agent/engine/weaving.h"
#include "agent/life/admit.h"
#include "agent/life/life.h"
#include "agent/life/net_listen.h"
#include "agent/names/names.h"
#include "agent/names/threads.h"
#include "agent/recording/recording.h"
#include "agent/scope/scope_virtual.h"
#include "vm/vm_event.h"
#include "vm/vm_lookup.h"
#include "vm/vm_program.h"

enum { LARGE_HEAP = 2000000000 };

/* ---- events of the VM while recordings run */

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
        threads_leave(a, env, engines_thread_end);
    agent_unlock(a);
}

/* Most virtual threads are not known to the agent: for those nothing is done. */
static void on_virtual_end(void *data, JNIEnv *env, jthread thread)
{
    if (threads_here())
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
        (void)crew_dump(a, chosen[i]); /* a recording that has ended meanwhile needs no dump */
}

static struct vm_event_subscriber on_threads[] = {
    {.event = VM_EVENT_THREAD_START, .on.thread_start = on_thread_start},
    {.event = VM_EVENT_THREAD_END, .on.thread_end = on_thread_end},
};
static struct vm_event_subscriber on_virtuals = {.event = VM_EVENT_VIRTUAL_END,
                                                 .on.virtual_end = on_virtual_end};
static struct vm_event_subscriber on_class = {.event = VM_EVENT_CLASS_LOAD,
                                              .on.class_load = on_class_load};
static struct vm_event_subscriber on_dump = {.event = VM_EVENT_DATA_DUMP,
                                             .on.data_dump = on_data_dump};

/* Handlers read the agent without a lock, so it is set once. */
static void hear(struct agent *a, struct vm_event_subscriber *events, int count)
{
    for (int i = 0; i < count; i++)
        if (!events[i].data)
            events[i].data = a;
    vm_event_add_all(events, count, NULL);
}

void life_run_hear_virtual_ends(struct agent *a)
{
    hear(a, &on_virtuals, 1);
}

/* ---- a recording begins */

/*
 * Version 1.0.2 of the binary format is for heaps that are too large for a record of version 1.0.1.
 */
static bool heap_is_large(JNIEnv *env)
{
    struct vm_lookup l = vm_lookup_begin(env);
    jclass klass = vm_lookup_class(&l, "java/lang/Runtime");
    jobject runtime = vm_lookup_call_static_object(
        &l, klass, vm_lookup_static_method(&l, klass, "getRuntime", "()Ljava/lang/Runtime;"));
    jlong bytes = vm_lookup_call_long(&l, runtime, vm_lookup_method(&l, klass, "maxMemory", "()J"));
    return vm_lookup_end(&l) && bytes >= LARGE_HEAP;
}

static void load_all_classes(struct agent *a, JNIEnv *env)
{
    jclass *classes = NULL;
    jint count = 0;
    if ((*env)->PushLocalFrame(env, 16) != JNI_OK) /* room for one reference to each class */
        return;
    if ((*a->vm.main)->GetLoadedClasses(a->vm.main, &count, &classes) == JVMTI_ERROR_NONE) {
        for (jint i = 0; i < count; i++)
            names_class(a, classes[i]);
        (*a->vm.main)->Deallocate(a->vm.main, (unsigned char *)classes);
    }
    (*env)->PopLocalFrame(env, NULL);
}

static void set_program(struct agent *a)
{
    char *name = vm_program_name(&a->vm);
    profile_set_program(a->profile, name ? profile_cstring(a->profile, name) : 0);
    free(name);
}

/* Write the threads and classes that are known already into a file that begins later. */
static void announce_known(struct agent *a, struct recording *r)
{
    bool has_classes = recording_can(r, WRITER_CLASSES);
    for (struct thread *t = threads_next(NULL); t; t = threads_next(t))
        if (t->id)
            recording_thread(r, t->id, true);
    for (class_id id = 1; has_classes && id <= profile_class_count(a->profile); id++)
        recording_announce_class(a, r, id);
}

static engine_set starting; /* engines that start now, and are told of the existing threads */

static void tell_starting(struct agent *a, struct thread *thread)
{
    const struct engine *e;
    for (int at = 0; (e = engine_next_of(starting, &at)) != NULL;)
        if (e->thread_start)
            e->thread_start(a, thread);
}

int life_run(struct agent *a, JNIEnv *env, struct recording *r, engine_set fresh)
{
    jthread self = NULL;
    engine_set started, failed;
    int error, join_error;
    agent_lock(a);
    if (!a->started) {
        set_program(a);
        threads_init(a, env);
        a->dying = a->closed = a->is_leaving = false;
    }
    a->recordings[r->place] = r;
    a->coming = NULL;
    recording_open(a, r, heap_is_large(env));
    admit_settle_kinds(a);
    announce_known(a, r);
    if (!a->started && !a->attached &&
        (*a->vm.main)->GetCurrentThread(a->vm.main, &self) == JVMTI_ERROR_NONE) {
        a->started = 1;
        threads_enter(a, env, self, 1); /* the main thread gets serial 200001 */
    }
    a->started = 1;
    if (recording_can(r, WRITER_CLASSES)) {
        hear(a, &on_class, 1);
        load_all_classes(a, env);
    }
    error = crew_start(a, env, fresh, &started);
    /* a settings file names what other releases of the JDK have: the rest is measured */
    if (r->options.said.settings && started)
        error = 0;
    failed = fresh & ~started;
    a->engines.at_work |= started;
    a->engines.failed |= failed;
    r->engines &= ~failed; /* at the start of a VM the other engines go on and measure */
    join_error = crew_join(a, r, r->engines);
    if (!join_error)
        join_error = crew_retune(a);
    error = error ? error : join_error;
    recording_begin(r, !join_error);
    if (r->output.net)
        net_listen_start(a, env, r);
    hear(a, on_threads, sizeof(on_threads) / sizeof(on_threads[0]));
    hear(a, &on_dump, 1);
    starting = started;
    threads_enter_all(a, env, tell_starting);
    recording_flush(r);
    output_be_patient(&r->output, 0); /* the application runs */
    agent_unlock(a);
    crew_stop(a, failed);
    scope_virtual_begin(a, env);
    crew_ready(a, started);
    weaving_apply(a, env, a->attached ? WEAVING_AWAITED : WEAVING_AT_ONCE);
    return error;
}
