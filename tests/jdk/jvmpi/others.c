/*
 * others.c - a JVMPI agent for monitors, raw monitors, JNI references, compiled methods, what
 * threads do, and requested events. It says "others: what: 1" for what holds and ": 0" for what
 * does not. SPDX-License-Identifier: Apache-2.0
 */
#include <jvmpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { US = 50000, SECONDS = 20 };

static JVMPI_Interface *jvmpi;
static JavaVM *vm;
static JVMPI_RawMonitor shared, silent;
static JNIEnv *main_env, *sleeper_env, *worker_env, *wanting_env, *waiting_env;
static _Atomic long seen[JVMPI_MAX_EVENT_TYPE_VAL + 1];
static _Atomic bool is_held, is_let_go, is_done, is_waiting, is_notified;
static jobjectID contended, waited_for, made_id;
static jlong waited_ms;
static JNIEnv *exit_env, *entered_env;
static jobject made_ref;
static char requested_name[64], raw_name[64];
static jint requested_type;

static void say(const char *what, bool holds)
{
    fprintf(stderr, "others: %s: %d\n", what, holds);
}

static int wait_for(_Atomic long *count)
{
    for (int i = 0; i < SECONDS * 20 && !*count; i++)
        usleep(US);
    return *count > 0;
}

static JNIEnv *own_env(void)
{
    JNIEnv *env = NULL;
    (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_2);
    return env;
}

/* Waits for a raw monitor while others have it. */
static void wait_for_shared(void *unused)
{
    jvmpi->RawMonitorEnter(shared);
    waiting_env = own_env();
    is_waiting = true;
    jvmpi->RawMonitorWait(shared, 0);
    jvmpi->RawMonitorExit(shared);
    is_notified = true;
}

/* Holds both raw monitors while another thread wants them. */
static void hold(void *unused)
{
    jvmpi->RawMonitorEnter(silent);
    jvmpi->RawMonitorEnter(shared);
    jvmpi->RawMonitorEnter(shared);
    is_held = true;
    wait_for(&seen[JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER]);
    while (jvmpi->GetThreadStatus(wanting_env) != JVMPI_THREAD_MONITOR_WAIT)
        usleep(US);
    jvmpi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL);
    jvmpi->RawMonitorExit(shared);
    jvmpi->RawMonitorExit(shared);
    usleep(US);
    jvmpi->RawMonitorExit(silent);
    is_let_go = true;
}

static void try_raw_monitors(void)
{
    jvmpi->RawMonitorWait(shared, 0); /* by who does not own it: returns */
    wanting_env = own_env();
    jvmpi->CreateSystemThread((char *)"waiter", JVMPI_NORMAL_PRIORITY, wait_for_shared);
    while (!is_waiting)
        usleep(US);
    jvmpi->CreateSystemThread((char *)"holder", JVMPI_NORMAL_PRIORITY, hold);
    while (!is_held)
        usleep(US);
    jvmpi->RawMonitorEnter(shared);
    jvmpi->RawMonitorWait(shared, 10);
    jvmpi->RawMonitorExit(shared);
    jvmpi->RawMonitorEnter(silent);
    jvmpi->RawMonitorExit(silent);
    while (!is_let_go)
        usleep(US);
    say("a raw monitor's contention", seen[JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER] == 1 &&
                                          seen[JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTERED] == 1 &&
                                          seen[JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT] == 1);
    say("its name", strcmp(raw_name, "shared") == 0);
    jvmpi->RawMonitorEnter(shared);
    jvmpi->RawMonitorNotifyAll(shared);
    jvmpi->RawMonitorExit(shared);
    for (int i = 0; i < SECONDS * 20 && !is_notified; i++)
        usleep(US);
    say("who waited is notified", is_notified);
    jvmpi->RawMonitorDestroy(silent);
}

static void try_threads(void)
{
    JVMPI_CallFrame frames[16];
    JVMPI_CallTrace trace = {sleeper_env, 0, frames};
    jint results[2] = {5, 5};
    JNIEnv *list[2] = {worker_env, NULL};
    say("a sleeping thread", jvmpi->GetThreadStatus(sleeper_env) == JVMPI_THREAD_CONDVAR_WAIT);
    say("no thread", jvmpi->GetThreadStatus((JNIEnv *)&frames) == 0);
    jvmpi->GetCallTrace(&trace, 16);
    say("its stack", trace.num_frames >= 2);
    say("its native frame", trace.num_frames > 0 && trace.frames[0].lineno == -3);
    jvmpi->SuspendThread(worker_env);
    say("the status of before", jvmpi->GetThreadStatus(worker_env) == JVMPI_THREAD_RUNNABLE);
    jvmpi->ResumeThread(worker_env);
    usleep(US);
    jvmpi->SuspendThread(worker_env);
    say("it has run", jvmpi->ThreadHasRun(worker_env) == JNI_TRUE);
    jvmpi->ResumeThread(worker_env);
    jvmpi->SuspendThread(sleeper_env);
    jvmpi->ResumeThread(sleeper_env);
    usleep(US);
    jvmpi->SuspendThread(sleeper_env);
    say("a sleeping one has not", jvmpi->ThreadHasRun(sleeper_env) == JNI_FALSE);
    jvmpi->ResumeThread(sleeper_env);
    jvmpi->SuspendThreadList(2, list, results);
    say("lists", results[0] == JVMPI_SUCCESS && results[1] == JVMPI_FAIL);
    jvmpi->ResumeThreadList(2, list, results);
    say("lists resumed", results[0] == JVMPI_SUCCESS && results[1] == JVMPI_FAIL);
    say("time", jvmpi->GetCurrentThreadCpuTime() > 0);
}

static unsigned u4(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return (unsigned)b[0] << 24 | (unsigned)b[1] << 16 | (unsigned)b[2] << 8 | b[3];
}

static void *pointer(const char *at)
{
    void *p;
    memcpy(&p, at, sizeof(p));
    return p;
}

/* Whether `env` is in the list of threads at `at`; *ret_next is what follows the list. */
static int lists(const char *at, JNIEnv *env, const char **ret_next)
{
    unsigned count = u4(at);
    bool is_there = false;
    for (unsigned i = 0; i < count; i++)
        is_there |= pointer(at + 4 + i * sizeof(void *)) == env;
    *ret_next = at + 4 + count * sizeof(void *);
    return is_there;
}

/* A monitor dump while a thread wants the monitor that main has, or the raw one of the holder. */
static void on_monitor_dump(const JVMPI_Event *e)
{
    const char *at = e->u.monitor_dump.begin;
    bool has_java = false, has_raw = false, has_main = false;
    while (at < e->u.monitor_dump.end) {
        bool is_raw = *at++ == JVMPI_MONITOR_RAW;
        void *id = pointer(at + (is_raw ? sizeof(void *) : 0));
        const char *name = is_raw ? pointer(at) : "", *next;
        JNIEnv *owner;
        unsigned entries;
        bool is_wanted, is_awaited;
        at += is_raw ? 2 * sizeof(void *) : sizeof(void *);
        owner = pointer(at);
        entries = u4(at + sizeof(void *));
        is_wanted = lists(at + sizeof(void *) + 4, wanting_env, &next);
        is_awaited = lists(next, waiting_env, &at);
        has_java |= !is_raw && id == contended && owner == main_env && entries == 1;
        has_raw |= is_raw && id == shared && strcmp(name, "shared") == 0 && owner == e->env_id &&
                   entries == 2 && is_wanted && is_awaited;
    }
    for (jint i = 0; i < e->u.monitor_dump.num_traces; i++)
        has_main |= e->u.monitor_dump.traces[i].env_id == main_env &&
                    e->u.monitor_dump.traces[i].num_frames >= 2 &&
                    /* later it looks for a file now and then */
                    (is_held || e->u.monitor_dump.threads_status[i] == JVMPI_THREAD_CONDVAR_WAIT);
    say(is_held ? "a raw monitor in a dump" : "a monitor in a dump",
        at == e->u.monitor_dump.end && has_main && (is_held ? has_raw : has_java));
}

static void try_requests(void)
{
    jobjectID thread = jvmpi->GetThreadObject(main_env);
    say("a thread asked for",
        jvmpi->RequestEvent(JVMPI_EVENT_THREAD_START, thread) == JVMPI_SUCCESS &&
            requested_type == (JVMPI_EVENT_THREAD_START | JVMPI_REQUESTED_EVENT) &&
            strcmp(requested_name, "main") == 0);
    say("an object asked for",
        jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, thread) == JVMPI_SUCCESS &&
            requested_type == (JVMPI_EVENT_OBJECT_ALLOC | JVMPI_REQUESTED_EVENT));
    say("what is no class", jvmpi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, thread) == JVMPI_FAIL);
    say("what is no id", jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, (void *)8) == JVMPI_FAIL);
    say("what cannot be asked for",
        jvmpi->RequestEvent(JVMPI_EVENT_GC_START, NULL) == JVMPI_NOT_AVAILABLE);
    say("dumps are not enabled",
        jvmpi->EnableEvent(JVMPI_EVENT_HEAP_DUMP, NULL) == JVMPI_NOT_AVAILABLE &&
            jvmpi->DisableEvent(JVMPI_EVENT_MONITOR_DUMP, NULL) == JVMPI_NOT_AVAILABLE);
    say("unknown events", jvmpi->EnableEvent(2000, NULL) == JVMPI_NOT_AVAILABLE &&
                              jvmpi->EnableEvent(-1, NULL) == JVMPI_NOT_AVAILABLE);
}

static void try_references(JNIEnv *env)
{
    jclass klass = (*env)->FindClass(env, "java/lang/Integer");
    jobject global = (*env)->NewGlobalRef(env, klass);
    jobjectID id;
    jweak weak;
    jvmpi->DisableGC();
    id = jvmpi->jobject2jobjectID(klass);
    say("a global reference",
        seen[JVMPI_EVENT_JNI_GLOBALREF_ALLOC] && made_ref == global && made_id == id);
    say("an id's object", (*env)->IsSameObject(env, jvmpi->jobjectID2jobject(id), klass));
    say("a class asked for",
        jvmpi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, id) == JVMPI_SUCCESS &&
            requested_type == (JVMPI_EVENT_CLASS_LOAD | JVMPI_REQUESTED_EVENT) &&
            strcmp(requested_name, "java.lang.Integer") == 0);
    jvmpi->EnableGC();
    weak = (*env)->NewWeakGlobalRef(env, klass);
    say("a weak reference", seen[JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC] && made_ref == weak);
    (*env)->DeleteWeakGlobalRef(env, weak);
    (*env)->DeleteGlobalRef(env, global);
    say("freed references",
        seen[JVMPI_EVENT_JNI_GLOBALREF_FREE] && seen[JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE]);
}

static void run(void *unused)
{
    JNIEnv *env = NULL;
    (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_2);
    wait_for(&seen[JVMPI_EVENT_MONITOR_WAITED]);
    wait_for(&seen[JVMPI_EVENT_MONITOR_CONTENDED_ENTERED]);
    try_raw_monitors();
    try_threads();
    try_requests();
    try_references(env);
    say("a contended monitor", contended && seen[JVMPI_EVENT_MONITOR_CONTENDED_ENTER] &&
                                   seen[JVMPI_EVENT_MONITOR_CONTENDED_EXIT]);
    say("who gave it back", exit_env == main_env && entered_env != main_env);
    say("a wait", waited_for && waited_ms >= 90);
    say("compiled methods", wait_for(&seen[JVMPI_EVENT_COMPILED_METHOD_LOAD]));
    is_done = true;
    fprintf(stderr, "others: done\n");
}

static void on_thread(const JVMPI_Event *e)
{
    const char *name = e->u.thread_start.thread_name;
    if (strcmp(name, "main") == 0)
        main_env = e->u.thread_start.thread_env_id;
    if (strcmp(name, "sleeper") == 0)
        sleeper_env = e->u.thread_start.thread_env_id;
    if (strcmp(name, "worker") == 0)
        worker_env = e->u.thread_start.thread_env_id;
}

static void on_requested(const JVMPI_Event *e)
{
    const char *name = "";
    requested_type = e->event_type;
    if ((e->event_type & ~JVMPI_REQUESTED_EVENT) == JVMPI_EVENT_MONITOR_DUMP)
        on_monitor_dump(e);
    if ((e->event_type & ~JVMPI_REQUESTED_EVENT) == JVMPI_EVENT_THREAD_START)
        name = e->u.thread_start.thread_name;
    if ((e->event_type & ~JVMPI_REQUESTED_EVENT) == JVMPI_EVENT_CLASS_LOAD)
        name = e->u.class_load.class_name;
    snprintf(requested_name, sizeof(requested_name), "%s", name);
}

static void on_event(JVMPI_Event *e)
{
    if (e->event_type & JVMPI_REQUESTED_EVENT) {
        on_requested(e);
        return;
    }
    switch (e->event_type) {
    case JVMPI_EVENT_JVM_INIT_DONE:
        jvmpi->CreateSystemThread((char *)"trier", JVMPI_NORMAL_PRIORITY, run);
        break;
    case JVMPI_EVENT_THREAD_START:
        on_thread(e);
        break;
    case JVMPI_EVENT_MONITOR_CONTENDED_ENTER:
        contended = e->u.monitor.object;
        jvmpi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL);
        break;
    case JVMPI_EVENT_MONITOR_CONTENDED_EXIT:
        exit_env = e->env_id;
        break;
    case JVMPI_EVENT_MONITOR_CONTENDED_ENTERED:
        entered_env = e->env_id;
        break;
    case JVMPI_EVENT_MONITOR_WAITED:
        if (!e->u.monitor_wait.object)
            return; /* a sleep */
        waited_for = e->u.monitor_wait.object;
        waited_ms = e->u.monitor_wait.timeout;
        break;
    case JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER:
        snprintf(raw_name, sizeof(raw_name), "%s", e->u.raw_monitor.name);
        break;
    case JVMPI_EVENT_JNI_GLOBALREF_ALLOC:
    case JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC:
        made_ref = e->u.jni_globalref_alloc.ref_id;
        made_id = e->u.jni_globalref_alloc.obj_id;
        break;
    default:
        break;
    }
    seen[e->event_type]++;
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *java, char *options, void *reserved)
{
    static const jint events[] = {JVMPI_EVENT_THREAD_START,
                                  JVMPI_EVENT_JVM_INIT_DONE,
                                  JVMPI_EVENT_COMPILED_METHOD_LOAD,
                                  JVMPI_EVENT_COMPILED_METHOD_UNLOAD,
                                  JVMPI_EVENT_JNI_GLOBALREF_ALLOC,
                                  JVMPI_EVENT_JNI_GLOBALREF_FREE,
                                  JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC,
                                  JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE,
                                  JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER,
                                  JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTERED,
                                  JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT,
                                  JVMPI_EVENT_MONITOR_CONTENDED_ENTER,
                                  JVMPI_EVENT_MONITOR_CONTENDED_ENTERED,
                                  JVMPI_EVENT_MONITOR_CONTENDED_EXIT,
                                  JVMPI_EVENT_MONITOR_WAIT,
                                  JVMPI_EVENT_MONITOR_WAITED};
    void *answer = NULL;
    vm = java;
    if ((*vm)->GetEnv(vm, &answer, JVMPI_VERSION_1_2) < 0)
        return JNI_ERR;
    jvmpi = answer;
    jvmpi->NotifyEvent = on_event;
    shared = jvmpi->RawMonitorCreate((char *)"shared");
    silent = jvmpi->RawMonitorCreate((char *)"_silent");
    jvmpi->RawMonitorEnter(shared); /* may be called before the VM has any thread */
    jvmpi->RawMonitorExit(shared);
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        if (jvmpi->EnableEvent(events[i], NULL) != JVMPI_SUCCESS)
            return JNI_ERR;
    return JNI_OK;
}
