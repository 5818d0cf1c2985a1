/*
 * jvmpi_lives.c - see jvmpi_lives.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_lives.h"
#include <string.h>
#include <unistd.h>
#include "jvmpi/jvmpi_alloc.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_bytecode.h"
#include "jvmpi/jvmpi_class.h"
#include "jvmpi/jvmpi_gc.h"
#include "jvmpi/jvmpi_ids.h"
#include "jvmpi/jvmpi_method.h"
#include "jvmpi/jvmpi_monitor.h"
#include "jvmpi/jvmpi_send.h"
#include "jvmpi/jvmpi_thread.h"
#include "vm/vm_event.h"
#include "vm/vm_lookup.h"
#include "vm/vm_pause.h"
#include "vm/vm_threads.h"

enum {
    POLL_US = 50,
    POLLS = 2000, /* a tenth of a second in all */
};

/* ---- THREAD_START and THREAD_END */

/* The names of a thread. Each is memory of the VM, or NULL. */
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
    jvmpi_send_about(agents, &e, e.u.thread_start.thread_id, thread);
    forget_names(&names);
}

/* Wait until the thread that lists threads has sent THREAD_START for the calling thread, so that
 * the next events of the calling thread come after it. The wait is short, because the agent's
 * handler may wait for a lock that this thread holds. */
static void wait_until_told(const struct jvmpi_thread *t)
{
    int polls = POLLS;
    while (t && !atomic_load(&t->is_told) && polls-- > 0)
        usleep(POLL_US);
}

/* Send THREAD_START for a thread, once: from the thread itself, or from the thread that lists
 * threads. */
static void begin(JNIEnv *env, jthread thread, JNIEnv *its_env)
{
    struct jvmpi_thread *t;
    jobject ref;
    jvmpi_self_hush();
    ref = (*env)->NewGlobalRef(env, thread);
    t = jvmpi_thread_claim(its_env, ref, env == its_env);
    if (!t)
        (*env)->DeleteGlobalRef(env, ref);
    jvmpi_self_speak();
    if (t) {
        send_start(env, thread, its_env, jvmpi_send_whom(JVMPI_EVENT_THREAD_START), 0);
        atomic_store(&t->is_told, true);
    } else if (env == its_env) {
        wait_until_told(jvmpi_thread_find(env));
    }
}

static void on_start(void *data, JNIEnv *env, jthread thread)
{
    begin(env, thread, env);
}

static void on_end(void *data, JNIEnv *env, jthread thread)
{
    struct jvmpi_thread *t;
    bool ends_vm;
    jvmpi_self_hush();
    ends_vm = vm_pause_ends_vm(jvmpi_bridge.vm.main, env, thread);
    jvmpi_self_speak();
    /* The VM reports the end of the thread that ends it before its own end. That thread sends the
     * events up to JVM_SHUT_DOWN, so for agents it does not end. */
    t = ends_vm ? NULL : jvmpi_thread_close(env);
    if (!t)
        return;
    wait_until_told(t);
    jvmpi_method_end_thread(t);
    jvmpi_alloc_end_thread(t);
    jvmpi_monitor_end_thread(env);
    jvmpi_bytecode_end_thread();
    jvmpi_send_bare(env, JVMPI_EVENT_THREAD_END);
    jvmpi_class_end_thread();
    jvmpi_gc_leave_thread();
    /* otherwise its THREAD_END may not have been sent, so its record stays */
    if (!jvmpi_send_is_ending())
        jvmpi_thread_leave(env, t);
}

void jvmpi_lives_open(JNIEnv *env, jthread self)
{
    static struct vm_event_subscriber events[] = {
        {.event = VM_EVENT_THREAD_START, .on.thread_start = on_start},
        {.event = VM_EVENT_THREAD_END, .on.thread_end = on_end},
    };
    vm_threads_open(&jvmpi_bridge.vm, env);
    jvmpi_thread_list_begin();
    vm_event_add_all(events, 2, NULL);
    begin(env, self, env);
}

void jvmpi_lives_replay(JNIEnv *env)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jthread *all = NULL;
    jint count = 0;
    (*jvmti)->GetAllThreads(jvmti, &count, &all);
    for (jint i = 0; i < count; i++) {
        JNIEnv *its_env = jvmpi_thread_env(env, all[i]);
        if (its_env) /* otherwise it has ended */
            begin(env, all[i], its_env);
        (*env)->DeleteLocalRef(env, all[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)all);
    jvmpi_thread_list_end();
}

jint jvmpi_lives_request(JNIEnv *env, int agent, jobjectID id)
{
    jobject thread = jvmpi_ids_object(env, id);
    JNIEnv *its_env = NULL;
    jclass klass = NULL;
    jvmpi_self_hush();
    if (thread)
        klass = vm_lookup_boot_class(env, "java/lang/Thread");
    jvmpi_self_speak();
    if (klass && (*env)->IsInstanceOf(env, thread, klass))
        its_env = jvmpi_thread_env(env, thread);
    if (its_env)
        send_start(env, thread, its_env, 1u << agent, JVMPI_REQUESTED_EVENT);
    (*env)->DeleteLocalRef(env, klass);
    (*env)->DeleteLocalRef(env, thread);
    return its_env ? JVMPI_SUCCESS : JVMPI_FAIL;
}

/* ---- functions of the interface */

jobjectID jvmpi_lives_object(JNIEnv *of)
{
    JNIEnv *env = vm_jni(&jvmpi_bridge.vm);
    struct jvmpi_thread *t = env ? jvmpi_thread_hold(of) : NULL;
    jobjectID id;
    if (!t)
        return NULL;
    id = jvmpi_alloc_named(env, t->ref);
    jvmpi_thread_let_go(env, t);
    return id;
}

/* The function that a thread of CreateSystemThread runs. */
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
        vm_threads_start(&jvmpi_bridge.vm, env, name ? name : "", run, argument, priority, &thread);
    if (!error)
        (*env)->DeleteGlobalRef(env, thread);
    jvmpi_self_speak();
    return error ? JNI_ERR : JNI_OK;
}
