/*
 * jvmpi_agents.c - see jvmpi_agents.h.
 *
 * The functions of the interface have no parameter that says which agent calls. So a macro makes
 * one copy for each agent of those functions that must know the agent, and the tables point to the
 * copies.
 *
 * The VM's JavaVM is a word in writable memory that points to a constant table of functions. All
 * threads and libraries use this one JavaVM. The word gets the address of a copy of the table, with
 * our GetEnv in it. Source: HotSpot jni.cpp, main_vm and jni_InvokeInterface.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_agents.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/lock.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_class.h"
#include "jvmpi/jvmpi_gc.h"
#include "jvmpi/jvmpi_ids.h"
#include "jvmpi/jvmpi_lives.h"
#include "jvmpi/jvmpi_raw.h"
#include "jvmpi/jvmpi_send.h"
#include "jvmpi/jvmpi_stacks.h"
#include "jvmpi/jvmpi_suspend.h"
#include "jvmpi/jvmpi_switch.h"
#include "jvmpi/jvmpi_thread.h"
#include "safe/clock.h"

static struct {
    struct lock lock;
    const void *libraries[JVMPI_AGENTS_MAX]; /* load address of each agent's library */
    int count;
} agents = {.lock = LOCK_INIT(JVMPI_LOADS)};

/* ---- functions that are the same for all agents */

/* Do what exit() does, without the functions that run at exit: they would destroy data that the
 * VM's own threads still use. */
static void profiler_exit(jint code)
{
    fflush(NULL);
    _exit(code);
}

static jlong cpu_time(void)
{
    return (jlong)(jvmpi_bridge.options.times_are_wall ? clock_monotonic_ns()
                                                       : clock_thread_cpu_ns());
}

static jobject to_object(jobjectID id)
{
    JNIEnv *env = vm_jni(&jvmpi_bridge.vm);
    return env ? jvmpi_ids_object(env, id) : NULL;
}

static jobjectID to_id(jobject object)
{
    JNIEnv *env = vm_jni(&jvmpi_bridge.vm);
    return env ? jvmpi_ids_of(env, object) : NULL;
}

/* ---- functions that exist once for each agent */

#define AGENT(n)                                                                                   \
    static jint enable_##n(jint event, void *arg)                                                  \
    {                                                                                              \
        return jvmpi_switch_enable(n, event, arg);                                                 \
    }                                                                                              \
    static jint disable_##n(jint event, void *arg)                                                 \
    {                                                                                              \
        return jvmpi_switch_disable(n, event, arg);                                                \
    }                                                                                              \
    static jint request_##n(jint event, void *arg)                                                 \
    {                                                                                              \
        return jvmpi_switch_request(n, event, arg);                                                \
    }                                                                                              \
    static void set_storage_##n(JNIEnv *env, void *value)                                          \
    {                                                                                              \
        jvmpi_thread_set_storage(n, env, value);                                                   \
    }                                                                                              \
    static void *get_storage_##n(JNIEnv *env)                                                      \
    {                                                                                              \
        return jvmpi_thread_get_storage(n, env);                                                   \
    }

AGENT(0)
AGENT(1)
AGENT(2)
AGENT(3)

static const struct own {
    jint (*enable)(jint event, void *arg);
    jint (*disable)(jint event, void *arg);
    jint (*request)(jint event, void *arg);
    void (*set_storage)(JNIEnv *env, void *value);
    void *(*get_storage)(JNIEnv *env);
} owns[JVMPI_AGENTS_MAX] = {
#define OWN(n) {enable_##n, disable_##n, request_##n, set_storage_##n, get_storage_##n},
    OWN(0) OWN(1) OWN(2) OWN(3)
#undef OWN
};

static void fill(JVMPI_Interface *table, const struct own *own)
{
    *table = (JVMPI_Interface){
        .version = JVMPI_VERSION_1_2,
        .EnableEvent = own->enable,
        .DisableEvent = own->disable,
        .RequestEvent = own->request,
        .GetCallTrace = jvmpi_stacks_get,
        .ProfilerExit = profiler_exit,
        .RawMonitorCreate = jvmpi_raw_create,
        .RawMonitorEnter = jvmpi_raw_enter,
        .RawMonitorExit = jvmpi_raw_exit,
        .RawMonitorWait = jvmpi_raw_wait,
        .RawMonitorNotifyAll = jvmpi_raw_notify_all,
        .RawMonitorDestroy = jvmpi_raw_destroy,
        .GetCurrentThreadCpuTime = cpu_time,
        .SuspendThread = jvmpi_suspend_thread,
        .ResumeThread = jvmpi_suspend_resume,
        .GetThreadStatus = jvmpi_suspend_status,
        .ThreadHasRun = jvmpi_suspend_has_run,
        .CreateSystemThread = jvmpi_lives_create,
        .SetThreadLocalStorage = own->set_storage,
        .GetThreadLocalStorage = own->get_storage,
        .DisableGC = jvmpi_gc_disable,
        .EnableGC = jvmpi_gc_enable,
        .RunGC = jvmpi_gc_run,
        .GetThreadObject = jvmpi_lives_object,
        .GetMethodClass = jvmpi_class_of_method,
        .jobjectID2jobject = to_object,
        .jobject2jobjectID = to_id,
        .SuspendThreadList = jvmpi_suspend_list,
        .ResumeThreadList = jvmpi_suspend_resume_list,
    };
}

/* The table of the agent whose code has the address `caller`. An agent is a library, and gets one
 * table however often it asks. NULL: there are JVMPI_AGENTS_MAX agents already. */
static JVMPI_Interface *table_of(const void *caller)
{
    JVMPI_Interface *table = NULL;
    Dl_info info;
    const void *library = dladdr(caller, &info) ? info.dli_fbase : NULL;
    int at = 0;
    lock_take(&agents.lock);
    while (at < agents.count && agents.libraries[at] != library)
        at++;
    if (at < JVMPI_AGENTS_MAX)
        table = &jvmpi_send.tables[at];
    if (at == agents.count && table) {
        fill(table, &owns[at]);
        agents.libraries[agents.count++] = library;
    }
    lock_give(&agents.lock);
    return table;
}

/* ---- the answer to GetEnv */

enum { WORD_MASK = 0xfffffff0 };

static struct JNIInvokeInterface_ ours;
static jint(JNICALL *vms_get_env)(JavaVM *java, void **env, jint version);

static jint JNICALL get_env(JavaVM *java, void **env, jint version)
{
    if (((jint)WORD_MASK & version) != ((jint)WORD_MASK & JVMPI_VERSION_1))
        return vms_get_env(java, env, version);
    if (!env)
        return JNI_EINVAL;
    *env = NULL;
    if (version < JVMPI_VERSION_1 || version > JVMPI_VERSION_1_2)
        return JNI_EVERSION;
    *env = table_of(__builtin_return_address(0));
    if (*env)
        return JNI_OK;
    jvmpi_bridge_say("there are %d JVMPI agents in this JVM: no room for another",
                     JVMPI_AGENTS_MAX);
    return JNI_ERR;
}

void jvmpi_agents_open(JavaVM *java)
{
    const struct JNIInvokeInterface_ **functions = (const struct JNIInvokeInterface_ **)java;
    if (vms_get_env)
        return;
    ours = **functions;
    vms_get_env = ours.GetEnv;
    ours.GetEnv = get_env;
    *functions = &ours;
}
