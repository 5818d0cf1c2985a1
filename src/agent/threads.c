/*
 * threads.c - see threads.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/threads.h"
#include <stdlib.h>
#include <unistd.h>
#include "agent/agent.h"
#include "vm/vm_threads.h"
#include "vm/vmself.h"

void threads_init(struct agent *a, JNIEnv *env)
{
    a->threads->next_serial = PROFILE_THREAD_UNKNOWN + 1;
    vm_threads_learn(&a->vm, env);
}

static string_id group_name(struct agent *a, JNIEnv *env, jthreadGroup group,
                            jthreadGroup *ret_parent)
{
    jvmtiThreadGroupInfo info;
    string_id name = 0;

    *ret_parent = NULL;
    if (group && (*a->jvmti)->GetThreadGroupInfo(a->jvmti, group, &info) == JVMTI_ERROR_NONE) {
        name = profile_cstring(a->profile, info.name);
        (*a->jvmti)->Deallocate(a->jvmti, (unsigned char *)info.name);
        *ret_parent = info.parent;
    }
    return name;
}

/* The row of the model, with the names of the thread, its group and the group's parent. */
static thread_id add_row(struct agent *a, JNIEnv *env, jthread thread, uint32_t serial)
{
    jvmtiThreadInfo info;
    jthreadGroup parent = NULL, grandparent = NULL;
    string_id name = 0, group, parent_group;

    if ((*a->jvmti)->GetThreadInfo(a->jvmti, thread, &info) != JVMTI_ERROR_NONE)
        return 0;
    name = profile_cstring(a->profile, info.name ? info.name : "");
    group = group_name(a, env, info.thread_group, &parent);
    parent_group = group_name(a, env, parent, &grandparent);
    (*a->jvmti)->Deallocate(a->jvmti, (unsigned char *)info.name);
    (*env)->DeleteLocalRef(env, info.thread_group);
    (*env)->DeleteLocalRef(env, info.context_class_loader);
    (*env)->DeleteLocalRef(env, parent);
    (*env)->DeleteLocalRef(env, grandparent);
    return profile_add_thread(a->profile, serial, agent_new_object(a), name, group, parent_group);
}

/* A thread that has ended keeps its serial, in an odd number where the pointer to its record was:
 * it still locks its own object and may have to wait for it, and the last one ends the VM. */
static void *ended_with(uint32_t serial)
{
    return (void *)((uintptr_t)serial << 1 | 1);
}

static uint32_t ended_serial(const void *storage)
{
    return (uintptr_t)storage & 1 ? (uint32_t)((uintptr_t)storage >> 1) : 0;
}

static void *storage_of(const struct agent *a, jthread thread)
{
    void *data = NULL;

    (*a->jvmti)->GetThreadLocalStorage(a->jvmti, thread, &data);
    return data;
}

struct thread *threads_find(const struct agent *a, jthread thread)
{
    void *storage = storage_of(a, thread);

    return ended_serial(storage) ? NULL : storage;
}

uint32_t threads_ended_serial(const struct agent *a, jthread thread)
{
    return ended_serial(storage_of(a, thread));
}

static void put_first(struct thread **list, struct thread *t)
{
    t->next = *list;
    t->link = list;
    if (t->next)
        t->next->link = &t->next;
    *list = t;
}

static struct thread *add(struct agent *a, JNIEnv *env, jthread thread)
{
    struct thread *t = calloc(1, sizeof(*t));

    if (!t)
        return NULL;
    t->java_thread = vm_threads_address(env, thread);
    t->serial = a->threads->next_serial;
    if ((*a->jvmti)->SetThreadLocalStorage(a->jvmti, thread, t) != JVMTI_ERROR_NONE) {
        free(t); /* it is not alive any more */
        return NULL;
    }
    a->threads->next_serial++;
    t->ref = (*env)->NewGlobalRef(env, thread);
    put_first(&a->threads->live, t);
    return t;
}

static void forget(JNIEnv *env, struct thread *t)
{
    *t->link = t->next;
    if (t->next)
        t->next->link = t->link;
    if (t->ref)
        (*env)->DeleteGlobalRef(env, t->ref);
    free(t);
}

struct thread *threads_by_serial(const struct agent *a, uint32_t serial)
{
    struct thread *t = a->threads->live;

    while (t && t->serial != serial)
        t = t->next;
    return t;
}

struct thread *threads_by_object(struct agent *a, uint64_t object)
{
    struct thread *t = a->threads->live;

    while (t && (!t->id || profile_thread_at(a->profile, t->id)->object != object))
        t = t->next;
    return t;
}

struct thread *threads_enter(struct agent *a, JNIEnv *env, jthread thread, int self)
{
    struct thread *t;

    if (threads_ended_serial(a, thread))
        return NULL;
    t = storage_of(a, thread);
    if (!t) {
        t = add(a, env, thread);
        if (!t)
            return NULL;
        t->id = add_row(a, env, thread, t->serial);
        if (t->id)
            a->output.out.ops->start_thread(&a->output.out, t->id);
    }
    if (self) {
        t->tid = gettid();
        t->jni_env = env;
    } else if (!t->tid && t->java_thread) { /* no virtual thread */
        t->tid = vmself_tid(t->java_thread);
        t->jni_env = vm_threads_env(t->java_thread);
    }
    return t;
}

void threads_leave(struct agent *a, JNIEnv *env, jthread thread,
                   void (*before)(struct agent *, struct thread *))
{
    struct thread *t = threads_find(a, thread);

    if (!t)
        return;
    before(a, t);
    (*a->jvmti)->SetThreadLocalStorage(a->jvmti, thread, ended_with(t->serial));
    if (t->id) {
        profile_end_thread(a->profile, t->id);
        a->output.out.ops->end_thread(&a->output.out, t->id);
    }
    forget(env, t);
}

void threads_enter_all(struct agent *a, JNIEnv *env, void (*with)(struct agent *, struct thread *))
{
    jthread *threads = NULL, self = NULL;
    jint count = 0;

    (*a->jvmti)->GetCurrentThread(a->jvmti, &self);
    if ((*a->jvmti)->GetAllThreads(a->jvmti, &count, &threads) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++) {
        struct thread *t = NULL;

        /* The agent's own threads enter by themselves. */
        if (!agent_owns_thread(a, env, threads[i]))
            t = threads_enter(a, env, threads[i], (*env)->IsSameObject(env, threads[i], self));
        if (t)
            with(a, t);
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    (*a->jvmti)->Deallocate(a->jvmti, (unsigned char *)threads);
    (*env)->DeleteLocalRef(env, self);
}

void threads_enter_agent(struct agent *a, jthread thread)
{
    struct thread *t = calloc(1, sizeof(*t));

    if (!t)
        return;
    t->is_agent = 1;
    t->serial = a->threads->next_serial++;
    t->tid = gettid();
    if ((*a->jvmti)->SetThreadLocalStorage(a->jvmti, thread, t) != JVMTI_ERROR_NONE)
        free(t);
    else
        put_first(&a->threads->agents, t);
}

void threads_release(struct agent *a, JNIEnv *env)
{
    while (a->threads->live)
        forget(env, a->threads->live);
    while (a->threads->agents)
        forget(env, a->threads->agents);
}
