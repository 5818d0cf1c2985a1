/*
 * careless.c - a JVMPI agent for what agents of the time do and rely on.
 *
 * The option says which: `null` hands NULL to all functions, in JVM_OnLoad and while the program
 * runs; `raw` looks at the status of threads in raw monitors; `unowned` looks for a monitor that
 * nobody owns, but for which a thread waits, in a dump of monitors; `timed` looks at a thread that
 * wants a monitor back after its wait has ended by itself; `kept` reads the name of a
 * class after the handler of the CLASS_LOAD that it requested has returned; `compiled` compares the
 * COMPILED_METHOD_LOAD that it was told of with what the VM says is compiled. It prints
 * "careless: what: 1" for what holds, ": 0" for what does not, and makes the file "done", for which
 * the program Rough waits. SPDX-License-Identifier: Apache-2.0
 */
#include <jvmpi.h>
#include <jvmti.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { POLL_US = 10000, POLLS = 2000, CODES = 65536, FAR = 60000 };

static JVMPI_Interface *jvmpi;
static JavaVM *vm;
static const char *mode;

static void say(const char *what, bool holds)
{
    fprintf(stderr, "careless: %s: %d\n", what, holds);
}

static JNIEnv *env_of(void)
{
    JNIEnv *env = NULL;
    (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_2);
    return env;
}

/* ---- NULL */

static void hand_null(JNIEnv *env)
{
    JVMPI_CallTrace trace = {env, 7, NULL};
    jint result = 7;
    jvmpi->GetCallTrace(NULL, 8);
    jvmpi->GetCallTrace(&trace, 8);
    say("no frames without room", trace.num_frames == 0);
    jvmpi->RawMonitorEnter(NULL);
    jvmpi->RawMonitorWait(NULL, 0);
    jvmpi->RawMonitorNotifyAll(NULL);
    jvmpi->RawMonitorExit(NULL);
    jvmpi->RawMonitorDestroy(NULL);
    jvmpi->RawMonitorDestroy(jvmpi->RawMonitorCreate(NULL));
    jvmpi->SuspendThread(NULL);
    jvmpi->ResumeThread(NULL);
    jvmpi->SuspendThreadList(1, NULL, &result);
    jvmpi->SuspendThreadList(1, &env, NULL);
    jvmpi->ResumeThreadList(1, NULL, &result);
    jvmpi->ResumeThreadList(1, &env, NULL);
    jvmpi->SetThreadLocalStorage(NULL, &result);
    jvmpi->GetThreadLocalStorage(NULL);
    say("no status", jvmpi->GetThreadStatus(NULL) == 0 && !jvmpi->ThreadHasRun(NULL));
    say("no thread", jvmpi->CreateSystemThread(NULL, 5, NULL) == JNI_ERR);
    say("no objects", !jvmpi->GetThreadObject(NULL) && !jvmpi->GetMethodClass(NULL) &&
                          !jvmpi->jobjectID2jobject(NULL) && !jvmpi->jobject2jobjectID(NULL));
    say("no events", jvmpi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, NULL) == JVMPI_FAIL &&
                         jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL) == JVMPI_FAIL &&
                         jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_DUMP, NULL) == JVMPI_FAIL &&
                         jvmpi->RequestEvent(JVMPI_EVENT_THREAD_START, NULL) == JVMPI_FAIL);
    say("no interface", (*vm)->GetEnv(vm, NULL, JVMPI_VERSION_1_2) != JNI_OK);
}

/* ---- threads in raw monitors */

static JVMPI_RawMonitor raw;
static JNIEnv *_Atomic waiter, *_Atomic enterer;

static void wait_raw(void *unused)
{
    jvmpi->RawMonitorEnter(raw);
    waiter = env_of();
    jvmpi->RawMonitorWait(raw, FAR);
    jvmpi->RawMonitorExit(raw);
}

static void enter_raw(void *unused)
{
    enterer = env_of();
    jvmpi->RawMonitorEnter(raw);
    jvmpi->RawMonitorExit(raw);
}

/* The thread gets there, sooner or later. */
static int becomes(JNIEnv *const _Atomic *thread, jint status)
{
    for (int i = 0; i < POLLS; i++) {
        if (*thread && jvmpi->GetThreadStatus(*thread) == status)
            return 1;
        usleep(POLL_US);
    }
    return 0;
}

static void look_at_raw(void)
{
    raw = jvmpi->RawMonitorCreate((char *)"careless");
    jvmpi->CreateSystemThread((char *)"waiter", 5, wait_raw);
    say("one waits", becomes(&waiter, JVMPI_THREAD_CONDVAR_WAIT));
    jvmpi->RawMonitorEnter(raw);
    jvmpi->CreateSystemThread((char *)"enterer", 5, enter_raw);
    say("one wants to enter", becomes(&enterer, JVMPI_THREAD_MONITOR_WAIT));
    jvmpi->SuspendThread(waiter);
    say("it waits while it is suspended",
        (jvmpi->GetThreadStatus(waiter) & ~JVMPI_THREAD_SUSPENDED) == JVMPI_THREAD_CONDVAR_WAIT);
    jvmpi->ResumeThread(waiter);
    jvmpi->RawMonitorNotifyAll(raw);
    say("who was notified wants to enter", becomes(&waiter, JVMPI_THREAD_MONITOR_WAIT));
    jvmpi->RawMonitorExit(raw);
}

/* ---- a monitor that nobody owns */

static jobject unowned;
static jobjectID unowned_id;
static int dumped, has_no_owner, has_waiter;
static _Atomic int contended, is_back;

static void wait_java(void *unused)
{
    JNIEnv *env = env_of();
    jclass klass = (*env)->FindClass(env, "java/lang/Object");
    (*env)->MonitorEnter(env, unowned);
    waiter = env;
    (*env)->CallVoidMethod(env, unowned, (*env)->GetMethodID(env, klass, "wait", "()V"));
    (*env)->MonitorExit(env, unowned);
    is_back = 1;
}

static const unsigned char *take(const unsigned char *at, void *value, size_t size)
{
    memcpy(value, at, size);
    return at + size;
}

static const unsigned char *take_list(const unsigned char *at, bool *ret_has_waiter)
{
    unsigned char count[4];
    JNIEnv *one;
    at = take(at, count, sizeof(count));
    for (int n = count[0] << 24 | count[1] << 16 | count[2] << 8 | count[3]; n > 0; n--) {
        at = take(at, &one, sizeof(one));
        *ret_has_waiter |= one == waiter;
    }
    return at;
}

static void read_dump(const JVMPI_Event *e)
{
    const unsigned char *at = (const unsigned char *)e->u.monitor_dump.begin;
    bool enters;
    while (at < (const unsigned char *)e->u.monitor_dump.end) {
        unsigned char type = *at++;
        void *id, *owner;
        bool waits = false;
        if (type == JVMPI_MONITOR_RAW)
            at += sizeof(char *);
        at = take(at, &id, sizeof(id));
        at = take(at, &owner, sizeof(owner));
        at = take_list(take_list(at + 4, &enters), &waits);
        if (type == JVMPI_MONITOR_JAVA && id == unowned_id) {
            dumped++;
            has_no_owner = !owner;
            has_waiter = waits;
        }
    }
}

static void dump_unowned(JNIEnv *env)
{
    jclass klass = (*env)->FindClass(env, "java/lang/Object");
    jmethodID notify = (*env)->GetMethodID(env, klass, "notifyAll", "()V");
    unowned = (*env)->NewGlobalRef(env, (*env)->AllocObject(env, klass));
    unowned_id = jvmpi->jobject2jobjectID(unowned);
    jvmpi->CreateSystemThread((char *)"waiter", 5, wait_java);
    say("one waits", becomes(&waiter, JVMPI_THREAD_CONDVAR_WAIT));
    say("a dump", jvmpi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL) == JVMPI_SUCCESS);
    say("the monitor is in it once", dumped == 1);
    say("nobody owns it", has_no_owner);
    say("the thread waits for it", has_waiter);
    (*env)->MonitorEnter(env, unowned);
    (*env)->CallVoidMethod(env, unowned, notify);
    say("who was notified wants to enter", becomes(&waiter, JVMPI_THREAD_MONITOR_WAIT));
    (*env)->MonitorExit(env, unowned);
    for (int i = 0; i < POLLS && !is_back; i++)
        usleep(POLL_US);
    say("that is not told", is_back && contended == 0);
}

static void wait_shortly(void *unused)
{
    JNIEnv *env = env_of();
    jclass klass = (*env)->FindClass(env, "java/lang/Object");
    jmethodID wait = (*env)->GetMethodID(env, klass, "wait", "(J)V");
    (*env)->MonitorEnter(env, unowned);
    waiter = env;
    for (int i = 0; i < POLLS && !contended; i++)
        (*env)->CallVoidMethod(env, unowned, wait, (jlong)20);
    (*env)->MonitorExit(env, unowned);
    is_back = 1;
}

/* The time is over while another thread has the monitor. */
static void let_wait_end(JNIEnv *env)
{
    jclass klass = (*env)->FindClass(env, "java/lang/Object");
    unowned = (*env)->NewGlobalRef(env, (*env)->AllocObject(env, klass));
    jvmpi->CreateSystemThread((char *)"waiter", 5, wait_shortly);
    while (!waiter)
        usleep(POLL_US);
    (*env)->MonitorEnter(env, unowned);
    say("who has waited wants to enter", becomes(&waiter, JVMPI_THREAD_MONITOR_WAIT));
    (*env)->MonitorExit(env, unowned);
    for (int i = 0; i < POLLS && !is_back; i++)
        usleep(POLL_US);
    say("that is told", is_back && contended == 1);
}

/* ---- the name of a class */

static const char *name_kept;

static void keep_name(JNIEnv *env)
{
    jobjectID rough = jvmpi->jobject2jobjectID((*env)->FindClass(env, "Rough"));
    say("a class", jvmpi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, rough) == JVMPI_SUCCESS);
    free(calloc(1, 1 << 20)); /* what was given back may be another's by now */
    say("its name is kept", name_kept && strcmp(name_kept, "Rough") == 0);
}

/* ---- compiled code */

static struct code {
    jmethodID method;
    const void *at;
} told[CODES], unsaid[CODES];
static int told_count, unsaid_count, twice;
static pthread_mutex_t codes = PTHREAD_MUTEX_INITIALIZER;

static struct code *find_told(jmethodID method, const void *at)
{
    for (int i = 0; i < told_count; i++)
        if (told[i].method == method && told[i].at == at)
            return &told[i];
    return NULL;
}

static void note_code(jmethodID method, const void *at, bool is_there)
{
    struct code *found;
    pthread_mutex_lock(&codes);
    found = find_told(method, at);
    if (found && !is_there)
        *found = told[--told_count];
    twice += found && is_there;
    if (!found && is_there && told_count < CODES)
        told[told_count++] = (struct code){method, at};
    pthread_mutex_unlock(&codes);
}

static void JNICALL on_code(jvmtiEnv *jvmti, jmethodID method, jint size, const void *at,
                            jint length, const jvmtiAddrLocationMap *map, const void *info)
{
    pthread_mutex_lock(&codes);
    if (!find_told(method, at) && unsaid_count < CODES)
        unsaid[unsaid_count++] = (struct code){method, at};
    pthread_mutex_unlock(&codes);
}

static void compare_codes(void)
{
    jvmtiCapabilities wish;
    jvmtiEventCallbacks calls;
    jvmtiEnv *jvmti = NULL;
    memset(&wish, 0, sizeof(wish));
    memset(&calls, 0, sizeof(calls));
    wish.can_generate_compiled_method_load_events = 1;
    calls.CompiledMethodLoad = on_code;
    (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_0);
    (*jvmti)->AddCapabilities(jvmti, &wish);
    (*jvmti)->SetEventCallbacks(jvmti, &calls, sizeof(calls));
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_COMPILED_METHOD_LOAD, NULL);
    for (int i = 0; i < POLLS; i++) { /* what was compiled just now is told soon */
        unsaid_count = 0;
        (*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_COMPILED_METHOD_LOAD);
        if (unsaid_count == 0)
            break;
        usleep(POLL_US);
    }
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_COMPILED_METHOD_LOAD,
                                       NULL);
    say("there is code", told_count > 0);
    say("all code was told", unsaid_count == 0);
    say("none twice", twice == 0);
}

/* ---- */

static void work(void *unused)
{
    JNIEnv *env = env_of();
    FILE *done;
    if (strcmp(mode, "null") == 0)
        hand_null(env);
    if (strcmp(mode, "raw") == 0)
        look_at_raw();
    if (strcmp(mode, "unowned") == 0)
        dump_unowned(env);
    if (strcmp(mode, "timed") == 0)
        let_wait_end(env);
    if (strcmp(mode, "kept") == 0)
        keep_name(env);
    if (strcmp(mode, "compiled") == 0)
        compare_codes();
    done = fopen("done", "w");
    if (done)
        fclose(done);
}

static void on_event(JVMPI_Event *e)
{
    switch (e->event_type) {
    case JVMPI_EVENT_JVM_INIT_DONE:
        jvmpi->CreateSystemThread((char *)"careless", JVMPI_NORMAL_PRIORITY, work);
        break;
    case JVMPI_EVENT_MONITOR_DUMP | JVMPI_REQUESTED_EVENT:
        read_dump(e);
        break;
    case JVMPI_EVENT_CLASS_LOAD | JVMPI_REQUESTED_EVENT:
        name_kept = e->u.class_load.class_name;
        break;
    case JVMPI_EVENT_MONITOR_CONTENDED_ENTER:
        contended += e->env_id == waiter;
        break;
    case JVMPI_EVENT_COMPILED_METHOD_LOAD:
        note_code(e->u.compiled_method_load.method_id, e->u.compiled_method_load.code_addr, 1);
        break;
    case JVMPI_EVENT_COMPILED_METHOD_UNLOAD:
        note_code(e->u.compiled_method_load.method_id, e->u.compiled_method_load.code_addr, 0);
        break;
    default:
        break;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *java_vm, char *options, void *reserved)
{
    void *answer = NULL;
    vm = java_vm;
    mode = strdup(options);
    if ((*vm)->GetEnv(vm, &answer, JVMPI_VERSION_1_2) < 0)
        return JNI_ERR;
    jvmpi = answer;
    jvmpi->NotifyEvent = on_event;
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_INIT_DONE, NULL);
    if (strcmp(mode, "null") == 0)
        hand_null(NULL);
    if (strcmp(mode, "unowned") == 0 || strcmp(mode, "timed") == 0)
        jvmpi->EnableEvent(JVMPI_EVENT_MONITOR_CONTENDED_ENTER, NULL);
    if (strcmp(mode, "compiled") == 0) {
        jvmpi->EnableEvent(JVMPI_EVENT_COMPILED_METHOD_LOAD, NULL);
        jvmpi->EnableEvent(JVMPI_EVENT_COMPILED_METHOD_UNLOAD, NULL);
    }
    return JNI_OK;
}
