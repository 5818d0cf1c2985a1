/*
 * jvmpi_lives.c - see jvmpi_lives.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_lives.h"
#include <string.h>
#include "jvmpi/jvmpi_alloc.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_ids.h"
#include "jvmpi/jvmpi_method.h"
#include "jvmpi/jvmpi_thread.h"
#include "vm/vm_event.h"
#include "vm/vm_runner.h"
#include "vm/vm_threads.h"

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
    e.u.thread_start.thread_id = jvmpi_alloc_named(env, thread);
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
    is_new = jvmpi_thread_claim(t, ref);
    if (!is_new) {
        (*env)->DeleteGlobalRef(env, ref);
        return;
    }
    send_start(env, thread, its_env, jvmpi_send_whom(JVMPI_EVENT_THREAD_START), 0);
    atomic_store(&t->is_told, true);
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
    jvmpi_method_end_thread(env);
    jvmpi_send_bare(env, JVMPI_EVENT_THREAD_END);
    jvmpi_self.thread = NULL;
    if (t->ref)
        (*env)->DeleteGlobalRef(env, t->ref);
    jvmpi_thread_leave(t);
}

void jvmpi_lives_open(JNIEnv *env, jthread self)
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

jint jvmpi_lives_request(JNIEnv *env, int agent, jobjectID id)
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

jobjectID jvmpi_lives_object(JNIEnv *of)
{
    const struct jvmpi_thread *t = jvmpi_thread_find(of);
    JNIEnv *env = vm_jni(&jvmpi_bridge.vm);

    return t && t->ref && env ? jvmpi_alloc_named(env, t->ref) : NULL;
}

/* What a system thread runs. */
static void JNICALL run(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    void (*f)(void *);

    memcpy(&f, &argument, sizeof(f));
    f(NULL);
}

jint jvmpi_lives_create(char *name, jint priority, void (*f)(void *))
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
