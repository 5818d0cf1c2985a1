/*
 * threads.c - see threads.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/names/threads.h"
#include <stdatomic.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/recording/recording.h"
#include "format/hprof_serial.h"
#include "vm/vm_lookup.h"

static string_id group_name(struct agent *a, JNIEnv *env, jthreadGroup group,
                            jthreadGroup *ret_parent)
{
    jvmtiThreadGroupInfo info;
    string_id name = 0;
    *ret_parent = NULL;
    if (group && (*a->vm.main)->GetThreadGroupInfo(a->vm.main, group, &info) == JVMTI_ERROR_NONE) {
        name = profile_cstring(a->profile, info.name);
        (*a->vm.main)->Deallocate(a->vm.main, (unsigned char *)info.name);
        *ret_parent = info.parent;
    }
    return name;
}

/* Add the row of the model, with the names of the thread, its group and the group's parent. */
static thread_id add_row(struct agent *a, JNIEnv *env, jthread thread, uint32_t serial,
                         bool *ret_is_daemon)
{
    jvmtiThreadInfo info;
    jthreadGroup parent = NULL, grandparent = NULL;
    string_id name = 0, group, parent_group;
    if ((*a->vm.main)->GetThreadInfo(a->vm.main, thread, &info) != JVMTI_ERROR_NONE)
        return 0;
    *ret_is_daemon = info.is_daemon;
    name = profile_cstring(a->profile, info.name ? info.name : "");
    group = group_name(a, env, info.thread_group, &parent);
    parent_group = group_name(a, env, parent, &grandparent);
    (*a->vm.main)->Deallocate(a->vm.main, (unsigned char *)info.name);
    (*env)->DeleteLocalRef(env, info.thread_group);
    (*env)->DeleteLocalRef(env, info.context_class_loader);
    (*env)->DeleteLocalRef(env, parent);
    (*env)->DeleteLocalRef(env, grandparent);
    return profile_add_thread(a->profile, serial, agent_new_object(a), name, group, parent_group);
}

static void fill(struct vm_thread *vm);

static struct vm_threads_row row = {.bytes = sizeof(struct thread), .fill = fill};
static struct threads *serials; /* the agent's */
static _Atomic long begin_late_ms;

static struct thread *thread_of(const struct vm_thread *vm)
{
    return vm ? vm_threads_slot(vm, &row) : NULL;
}

static void fill(struct vm_thread *vm)
{
    *thread_of(vm) = (struct thread){.vm = vm, .serial = serials->next_serial};
}

void threads_prepare(void)
{
    vm_threads_add_row(&row);
}

void threads_init(struct agent *a, JNIEnv *env)
{
    serials = a->threads;
    serials->next_serial = HPROF_SERIAL_THREAD_UNKNOWN + 1;
    vm_threads_open(&a->vm, env);
}

struct thread *threads_here(void)
{
    return thread_of(vm_threads_here());
}

struct thread *threads_find(JNIEnv *env, jthread thread)
{
    return thread_of(vm_threads_find(env, thread));
}

/*
 * A thread that has ended keeps its serial: it still locks its own object and may have to wait for
 * that lock, and the last thread ends the VM.
 */
uint32_t threads_ended_here(void)
{
    return vm_threads_mark_here();
}

uint32_t threads_ended_serial(JNIEnv *env, jthread thread)
{
    return vm_threads_mark(env, thread);
}

struct thread *threads_next(const struct thread *t)
{
    return thread_of(vm_threads_next(t ? t->vm : NULL));
}

struct thread *threads_by_serial(uint32_t serial)
{
    struct thread *t = threads_next(NULL);
    while (t && t->serial != serial)
        t = threads_next(t);
    return t;
}

struct thread *threads_by_object(struct agent *a, uint64_t object)
{
    struct thread *t = threads_next(NULL);
    while (t && (!t->id || profile_thread_at(a->profile, t->id)->object != object))
        t = threads_next(t);
    return t;
}

/*
 * The number of a thread in Java. The field is read, because the program may override the getter.
 */
static jlong java_id(struct agent *a, JNIEnv *env, jthread thread)
{
    jfieldID *field = &a->threads->java_id;
    if (!*field) {
        struct vm_lookup l = vm_lookup_begin(env);
        jclass klass = vm_lookup_class(&l, "java/lang/Thread");
        jfieldID found = vm_lookup_field(&l, klass, "tid", "J");
        *field = vm_lookup_end(&l) ? found : NULL;
    }
    return *field ? (*env)->GetLongField(env, thread, *field) : 0;
}

static void set_numbers(struct agent *a, JNIEnv *env, jthread thread, const struct thread *t)
{
    struct profile_thread *p = profile_thread_at(a->profile, t->id);
    p->os_id = t->vm->tid > 0 ? (uint32_t)t->vm->tid : 0;
    p->java_id = (uint64_t)java_id(a, env, thread);
}

struct thread *threads_enter(struct agent *a, JNIEnv *env, jthread thread, int self)
{
    bool is_new;
    struct thread *t = thread_of(vm_threads_enter(env, thread, self != 0, &is_new));
    if (t && is_new) {
        a->threads->next_serial++;
        t->id = add_row(a, env, thread, t->serial, &t->is_daemon);
        if (t->id)
            set_numbers(a, env, thread, t);
        if (t->id)
            recording_announce_thread(a, t->id, true);
    }
    return t;
}

void threads_leave(struct agent *a, JNIEnv *env, void (*before)(struct agent *, struct thread *))
{
    struct thread *t = threads_here();
    if (!t)
        return;
    before(a, t);
    if (t->id) {
        profile_end_thread(a->profile, t->id);
        recording_announce_thread(a, t->id, false);
    }
    vm_threads_leave(env, t->vm, t->serial);
}

void threads_enter_all(struct agent *a, JNIEnv *env, void (*with)(struct agent *, struct thread *))
{
    jthread *threads = NULL, self = NULL;
    jint count = 0;
    (*a->vm.main)->GetCurrentThread(a->vm.main, &self);
    if ((*a->vm.main)->GetAllThreads(a->vm.main, &count, &threads) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++) {
        struct thread *t = NULL;

        /* The agent's own threads make their records themselves. */
        if (!agent_owns_thread(a, env, threads[i]))
            t = threads_enter(a, env, threads[i], (*env)->IsSameObject(env, threads[i], self));
        if (t)
            with(a, t);
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    (*a->vm.main)->Deallocate(a->vm.main, (unsigned char *)threads);
    (*env)->DeleteLocalRef(env, self);
}

/* Mark the calling thread as the agent's own. Needs the agent's lock. */
static void enter_agent(struct agent *a, JNIEnv *env)
{
    jthread self = NULL;
    if ((*a->vm.main)->GetCurrentThread(a->vm.main, &self) != JVMTI_ERROR_NONE)
        return;
    if (vm_threads_enter_own(env, self))
        a->threads->next_serial++;
    (*env)->DeleteLocalRef(env, self);
}

void threads_begin_agent(struct agent *a, JNIEnv *env)
{
    long late_ms = atomic_load(&begin_late_ms);
    if (late_ms > 0)
        usleep((useconds_t)late_ms * 1000);
    agent_lock(a);
    if (a->started)
        enter_agent(a, env);
    agent_unlock(a);
}

void threads_begin_late(long ms)
{
    atomic_store(&begin_late_ms, ms);
}

void threads_release(JNIEnv *env)
{
    vm_threads_close(env);
}
