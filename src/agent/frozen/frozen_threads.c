/*
 * frozen_threads.c - see frozen_threads.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/frozen/frozen_threads.h"
#include <stdlib.h>
#include "agent/agent.h"
#include "agent/frozen/frozen_vm.h"
#include "agent/names/threads.h"
#include "agent/names/traces.h"
#include "format/hprof_serial.h"

/* Takes the thread's stack as a trace, and its methods, by which frozen_threads_depth() sees
 * whether the thread ran on. */
static void take_stack(struct agent *a, struct frozen_thread *t, thread_id id, jthread thread,
                       bool names_stacks)
{
    struct traces_stack stack;
    t->trace = HPROF_SERIAL_TRACE_SYSTEM;
    if (traces_take(a, thread, 0, TRACES_DEPTH_MAX, &stack) != 0)
        return;
    trace_id trace = names_stacks ? traces_of_thread(a, id, &stack) : traces_of(a, id, &stack);

    if (!trace)
        return;
    t->trace = hprof_serial_trace(a->profile, trace);
    t->methods = malloc((size_t)(stack.count + 1) * sizeof(jmethodID));
    if (!t->methods)
        return;
    t->depth = stack.count;
    t->own_frames = stack.own;
    for (jint i = 0; i < stack.count; i++)
        t->methods[i] = stack.frames[i].method;
}

static jlong id_of(const struct frozen_vm *v, JNIEnv *env, jthread thread)
{
    return v->thread_id ? (*env)->GetLongField(env, thread, v->thread_id) : 0;
}

/* Adds a thread. Returns NULL if the thread cannot be named. */
static struct frozen_thread *take_thread(struct frozen_threads *all, struct agent *a,
                                         const struct frozen_vm *v, JNIEnv *env, jthread thread)
{
    struct frozen_thread *t = &all->rows[all->count];
    struct thread *known = threads_find(env, thread);
    if (!known)
        known = threads_enter(a, env, thread, 0);
    uint32_t ended = known ? 0 : threads_ended_serial(env, thread);
    *t = (struct frozen_thread){.serial = HPROF_SERIAL_THREAD_UNKNOWN, .ref = thread};
    if (known) {
        t->serial = known->id ? known->serial : HPROF_SERIAL_THREAD_UNKNOWN;
        t->ref = known->vm->ref;
        t->own_globals = known->vm->ref != NULL;
        /* the thread that ends the VM; the file already has it */
    } else if (ended) {
        t->serial = ended;
    } else {
        return NULL;
    }
    if ((*v->jvmti)->SetTag(v->jvmti, thread, (jlong)all->count + 1) != JVMTI_ERROR_NONE)
        return NULL;
    all->count++;
    t->id = id_of(v, env, thread);
    take_stack(a, t, known ? known->id : 0, thread, all->names_stacks);
    return t;
}

/* The calling thread comes first, because at the VM's end GetAllThreads() does not list it any
 * more. The reference to it is kept as long as the dump needs it. */
void frozen_threads_take(struct frozen_threads *t, struct agent *a, const struct frozen_vm *v,
                         JNIEnv *env, bool names_stacks)
{
    jthread *threads = NULL, self = NULL;
    jint count = 0;
    *t = (struct frozen_threads){.names_stacks = names_stacks};
    (*a->vm.main)->GetCurrentThread(a->vm.main, &self);
    if ((*a->vm.main)->GetAllThreads(a->vm.main, &count, &threads) != JVMTI_ERROR_NONE)
        return;
    t->rows = calloc((size_t)count + 2, sizeof(*t->rows));
    if (t->rows && self)
        t->own = take_thread(t, a, v, env, self);
    if (t->own)
        t->own->own_locals = 1;
    for (jint i = 0; i < count; i++) {
        if (t->rows && !(*env)->IsSameObject(env, threads[i], self))
            take_thread(t, a, v, env, threads[i]);
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    (*a->vm.main)->Deallocate(a->vm.main, (unsigned char *)threads);
}

void frozen_threads_take_own(struct frozen_threads *t, struct agent *a, const struct frozen_vm *v,
                             JNIEnv *env)
{
    jthread self = NULL;
    *t = (struct frozen_threads){.rows = calloc(1, sizeof(*t->rows))};
    (*a->vm.main)->GetCurrentThread(a->vm.main, &self);
    if (!t->rows || !self)
        return;
    t->rows[0] = (struct frozen_thread){.serial = HPROF_SERIAL_THREAD_UNKNOWN,
                                        .trace = HPROF_SERIAL_TRACE_SYSTEM,
                                        .id = id_of(v, env, self)};
    t->own = t->rows;
    t->count = 1;
}

void frozen_threads_forget(struct frozen_threads *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        free(t->rows[i].methods);
    free(t->rows);
    *t = (struct frozen_threads){0};
}

struct frozen_thread *frozen_threads_of_id(struct frozen_threads *t, jlong id)
{
    if (t->last < t->count && t->rows[t->last].id == id)
        return &t->rows[t->last];
    for (uint32_t i = 0; i < t->count && id != 0; i++) {
        if (t->rows[i].id == id) {
            t->last = i;
            return &t->rows[i];
        }
    }
    return NULL;
}

jint frozen_threads_depth(const struct frozen_thread *t, jint depth, jmethodID method)
{
    if (!t)
        return -1;
    depth -= t->own_frames;
    return depth >= 0 && depth < t->depth && (!method || t->methods[depth] == method) ? depth : -1;
}
