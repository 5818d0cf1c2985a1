/*
 * jvmpi_thread.c - see jvmpi_thread.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_thread.h"
#include <stdlib.h>
#include <string.h>
#include "base/lock.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_ids.h"
#include "vm/vm_event.h"
#include "vm/vm_runner.h"
#include "vm/vm_threads.h"

enum {
    BUCKETS = 1024,
    ENV_SHIFT = 6, /* JNIEnvs of two threads are at least a cache line apart */
};

static struct {
    struct lock lock;
    struct jvmpi_thread *_Atomic buckets[BUCKETS];
    struct jvmpi_thread *free;
} threads = {.lock = LOCK_INIT(JVMPI_THREADS)};

/* ---- records */

static struct jvmpi_thread *_Atomic *bucket_of(JNIEnv *env)
{
    return &threads.buckets[((uintptr_t)env >> ENV_SHIFT) % BUCKETS];
}

/* Needs the lock. */
static struct jvmpi_thread *look_up(JNIEnv *env)
{
    struct jvmpi_thread *t = *bucket_of(env);

    while (t && t->env != env)
        t = t->next;
    return t;
}

struct jvmpi_thread *jvmpi_thread_find(JNIEnv *env)
{
    struct jvmpi_thread *t = jvmpi_self.thread;

    if (t && t->env == env)
        return t;
    lock_take(&threads.lock);
    t = look_up(env);
    lock_give(&threads.lock);
    return t;
}

struct jvmpi_thread *jvmpi_thread_enter(JNIEnv *env)
{
    struct jvmpi_thread *t;

    lock_take(&threads.lock);
    t = look_up(env);
    if (!t) {
        t = threads.free;
        if (t)
            threads.free = t->next;
        else
            t = malloc(sizeof(*t));
    }
    if (t && !look_up(env)) {
        memset(t, 0, sizeof(*t));
        t->env = env;
        t->next = *bucket_of(env);
        *bucket_of(env) = t;
    }
    lock_give(&threads.lock);
    return t;
}

static void leave(struct jvmpi_thread *t)
{
    struct jvmpi_thread *_Atomic *at = bucket_of(t->env);

    lock_take(&threads.lock);
    if (*at == t) {
        *at = t->next;
    } else {
        struct jvmpi_thread *before = *at;

        while (before->next != t)
            before = before->next;
        before->next = t->next;
    }
    t->env = NULL;
    t->next = threads.free;
    threads.free = t;
    lock_give(&threads.lock);
}

JNIEnv *jvmpi_thread_env(JNIEnv *env, jthread thread)
{
    return vm_threads_jni_env(env, thread);
}

bool jvmpi_thread_is_open(JNIEnv *env)
{
    if (!jvmpi_self.thread) {
        struct jvmpi_thread *t = jvmpi_thread_find(env);

        if (t && t->ref)
            jvmpi_self.thread = t;
    }
    return jvmpi_self.thread != NULL;
}

/* ---- THREAD_START and THREAD_END */

/* The names of a thread; each is the VM's memory, or NULL. */
struct names {
    char *thread, *group, *parent;
};

static struct names ask_names(JNIEnv *env, jthread thread)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jvmtiThreadInfo info = {.name = NULL};
    jvmtiThreadGroupInfo group = {.name = NULL}, parent = {.name = NULL};

    if ((*jvmti)->GetThreadInfo(jvmti, thread, &info) == JVMTI_ERROR_NONE && info.thread_group &&
        (*jvmti)->GetThreadGroupInfo(jvmti, info.thread_group, &group) == JVMTI_ERROR_NONE &&
        group.parent)
        (*jvmti)->GetThreadGroupInfo(jvmti, group.parent, &parent);
    (*env)->DeleteLocalRef(env, info.thread_group);
    (*env)->DeleteLocalRef(env, info.context_class_loader);
    (*env)->DeleteLocalRef(env, group.parent);
    (*env)->DeleteLocalRef(env, parent.parent);
    return (struct names){info.name, group.name, parent.name};
}

static void forget_names(struct names *names)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;

    (*jvmti)->Deallocate(jvmti, (unsigned char *)names->thread);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)names->group);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)names->parent);
}

static void send_start(JNIEnv *env, jthread thread, JNIEnv *its_env, jvmpi_agents agents, jint bits)
{
    static char none[] = "";
    struct names names;
    JVMPI_Event e = {.event_type = JVMPI_EVENT_THREAD_START | bits, .env_id = env};

    if (!agents)
        return;
    jvmpi_self_hush();
    names = ask_names(env, thread);
    jvmpi_self_speak();
    e.u.thread_start.thread_name = names.thread ? names.thread : none;
    e.u.thread_start.group_name = names.group ? names.group : none;
    e.u.thread_start.parent_name = names.parent ? names.parent : none;
    e.u.thread_start.thread_id = jvmpi_ids_of(env, thread);
    e.u.thread_start.thread_env_id = its_env;
    jvmpi_send_to(agents, &e);
    forget_names(&names);
}

/* A thread is there: once for each, by itself or by who lists those that there are. */
static void begin(JNIEnv *env, jthread thread, JNIEnv *its_env)
{
    struct jvmpi_thread *t = its_env ? jvmpi_thread_enter(its_env) : NULL;
    jobject ref;
    bool is_new;

    if (!t)
        return;
    ref = (*env)->NewGlobalRef(env, thread);
    lock_take(&threads.lock);
    is_new = !t->ref;
    if (is_new)
        t->ref = ref;
    lock_give(&threads.lock);
    if (env == its_env)
        jvmpi_self.thread = t;
    if (is_new)
        send_start(env, thread, its_env, jvmpi_send_whom(JVMPI_EVENT_THREAD_START), 0);
    else
        (*env)->DeleteGlobalRef(env, ref);
}

static void on_start(void *data, JNIEnv *env, jthread thread)
{
    begin(env, thread, env);
}

static void on_end(void *data, JNIEnv *env, jthread thread)
{
    struct jvmpi_thread *t = jvmpi_thread_find(env);

    if (!t)
        return;
    jvmpi_send_bare(env, JVMPI_EVENT_THREAD_END);
    jvmpi_self.thread = NULL;
    if (t->ref)
        (*env)->DeleteGlobalRef(env, t->ref);
    leave(t);
}

void jvmpi_thread_open(JNIEnv *env, jthread self)
{
    static struct vm_event_subscriber events[] = {
        {.event = VM_EVENT_THREAD_START, .on.thread_start = on_start},
        {.event = VM_EVENT_THREAD_END, .on.thread_end = on_end},
    };
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jthread *all = NULL;
    jint count = 0;

    vm_threads_open(&jvmpi_bridge.vm, env);
    vm_event_add_all(events, 2, NULL);
    begin(env, self, env);
    if ((*jvmti)->GetAllThreads(jvmti, &count, &all) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++) {
        begin(env, all[i], jvmpi_thread_env(env, all[i]));
        (*env)->DeleteLocalRef(env, all[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)all);
}

jint jvmpi_thread_request(JNIEnv *env, int agent, jobjectID id)
{
    jobject thread = jvmpi_ids_object(env, id);
    jclass klass = thread ? (*env)->FindClass(env, "java/lang/Thread") : NULL;
    JNIEnv *its_env =
        klass && (*env)->IsInstanceOf(env, thread, klass) ? jvmpi_thread_env(env, thread) : NULL;

    if (its_env)
        send_start(env, thread, its_env, 1u << agent, JVMPI_REQUESTED_EVENT);
    (*env)->DeleteLocalRef(env, klass);
    (*env)->DeleteLocalRef(env, thread);
    return its_env ? JVMPI_SUCCESS : JVMPI_FAIL;
}

/* ---- what the interface has */

void jvmpi_thread_set_storage(int agent, JNIEnv *env, void *value)
{
    struct jvmpi_thread *t = jvmpi_thread_find(env);

    if (!t && value)
        t = jvmpi_thread_enter(env);
    if (t)
        t->storage[agent] = value;
}

void *jvmpi_thread_get_storage(int agent, JNIEnv *env)
{
    const struct jvmpi_thread *t = jvmpi_thread_find(env);

    return t ? t->storage[agent] : NULL;
}

jobjectID jvmpi_thread_object(JNIEnv *of)
{
    const struct jvmpi_thread *t = jvmpi_thread_find(of);
    JNIEnv *env = vm_jni(&jvmpi_bridge.vm);

    return t && t->ref && env ? jvmpi_ids_of(env, t->ref) : NULL;
}

/* What a system thread runs. */
static void JNICALL run(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    void (*f)(void *);

    memcpy(&f, &argument, sizeof(f));
    f(NULL);
}

jint jvmpi_thread_create(char *name, jint priority, void (*f)(void *))
{
    JNIEnv *env = vm_jni(&jvmpi_bridge.vm);
    jobject thread;
    void *argument;
    int error;

    if (!env || !f || !jvmpi_bridge_is_live())
        return JNI_ERR;
    memcpy(&argument, &f, sizeof(argument));
    jvmpi_self_hush();
    error =
        vm_runner_start(&jvmpi_bridge.vm, env, name ? name : "", run, argument, priority, &thread);
    if (!error)
        (*env)->DeleteGlobalRef(env, thread);
    jvmpi_self_speak();
    return error ? JNI_ERR : JNI_OK;
}
