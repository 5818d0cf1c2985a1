/*
 * functions.c - a JVMPI agent for sentences about functions and numbers that one thread can check.
 *
 * The option says which: `early` calls all functions in JVM_OnLoad; `cpu` and `wall` compare
 * GetCurrentThreadCpuTime with the clock of that name; `used` compares the object counts of
 * GC_FINISH, the only event that it has on, with what it makes and drops; `suspend` has a thread
 * suspended by java.lang.Thread, too; `woven` looks at the traces of methods that threads entered
 * before METHOD_ENTRY was turned on, which weaves them anew. It prints "functions: what: 1" for
 * what holds, ": 0" for what does not, and makes the file "done", for which the program Rough
 * waits. SPDX-License-Identifier: Apache-2.0
 */
#include <jvmpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    MADE = 100000,
    OTHERS = 2000,
    FRAMES = 8,
    METHODS = 1 << 18, /* of all classes */
    NS_PER_S = 1000000000,
    POLL_US = 10000,
};

static JVMPI_Interface *jvmpi;
static JavaVM *vm;
static const char *mode;
static _Atomic long used;
static JNIEnv *_Atomic main_thread;
static jmethodID _Atomic rough_main;
static jmethodID told[METHODS]; /* by CLASS_LOAD */
static _Atomic int told_count;
static int unknown, traces; /* frames whose method is not among them, traces with frames */

static void say(const char *what, bool holds)
{
    fprintf(stderr, "functions: %s: %d\n", what, holds);
}

static jlong ns_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (jlong)t.tv_sec * NS_PER_S + t.tv_nsec;
}

static void compare_clocks(clockid_t clock)
{
    int inside = 1;
    for (int i = 0; i < 100; i++) {
        jlong before = ns_of(clock), told = jvmpi->GetCurrentThreadCpuTime();
        inside &= before <= told && told <= ns_of(clock);
    }
    say("the clock", inside);
}

/* Objects of the VM and of its other threads come and go meanwhile, a few. */
static void count_used(JNIEnv *env)
{
    jclass klass = (*env)->FindClass(env, "java/lang/Object");
    jobjectArray all = (*env)->NewObjectArray(env, MADE, klass, NULL);
    long before, full, after;
    jvmpi->RunGC();
    before = used;
    for (jint i = 0; i < MADE; i++) {
        jobject one = (*env)->AllocObject(env, klass);
        (*env)->SetObjectArrayElement(env, all, i, one);
        (*env)->DeleteLocalRef(env, one);
    }
    jvmpi->RunGC();
    full = used;
    (*env)->DeleteLocalRef(env, all);
    jvmpi->RunGC();
    after = used;
    say("what is made is counted", labs(full - before - MADE) < OTHERS);
    say("what is dropped is not", labs(full - after - MADE) < OTHERS);
}

static bool is_suspended(void)
{
    return (jvmpi->GetThreadStatus(main_thread) & JVMPI_THREAD_SUSPENDED) != 0;
}

static void suspend_twice(JNIEnv *env)
{
    jclass klass = (*env)->FindClass(env, "java/lang/Thread");
    jmethodID suspend = (*env)->GetMethodID(env, klass, "suspend", "()V");
    jmethodID resume = (*env)->GetMethodID(env, klass, "resume", "()V");
    jobject thread;
    while (!main_thread)
        usleep(POLL_US);
    thread = jvmpi->jobjectID2jobject(jvmpi->GetThreadObject(main_thread));
    (*env)->CallVoidMethod(env, thread, suspend);
    say("suspended by Java", is_suspended());
    jvmpi->SuspendThread(main_thread);
    jvmpi->ResumeThread(main_thread);
    say("it stays so", is_suspended());
    (*env)->CallVoidMethod(env, thread, resume);
    say("until Java resumes it", !is_suspended());
    jvmpi->SuspendThread(main_thread);
    say("suspended by an agent", !is_suspended());
    jvmpi->ResumeThread(main_thread);
}

static bool is_told(jmethodID method)
{
    for (int i = 0; i < told_count && i < METHODS; i++)
        if (told[i] == method)
            return true;
    return false;
}

static void look_at(const JVMPI_CallTrace *all, jint count)
{
    for (jint i = 0; i < count; i++) {
        traces += all[i].num_frames > 0;
        for (jint at = 0; at < all[i].num_frames; at++)
            unknown += !is_told(all[i].frames[at].method_id);
    }
}

/* The outermost frame of the main thread, which stays where it is. */
static JVMPI_CallFrame outermost(void)
{
    JVMPI_CallFrame frames[FRAMES];
    JVMPI_CallTrace trace = {main_thread, 0, frames};
    jvmpi->GetCallTrace(&trace, FRAMES);
    look_at(&trace, 1);
    return trace.num_frames > 0 ? frames[trace.num_frames - 1] : (JVMPI_CallFrame){0, NULL};
}

static void weave(void)
{
    JVMPI_CallFrame before, after;
    do
        before = outermost();
    while ((!before.method_id || before.method_id != rough_main) && usleep(POLL_US) == 0);
    say("METHOD_ENTRY", jvmpi->EnableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL) == JVMPI_SUCCESS);
    after = outermost();
    say("its method is the same", after.method_id == before.method_id);
    say("its line is one of the loop", after.lineno > 0 && abs(after.lineno - before.lineno) < 3);
    traces = 0;
    say("monitors", jvmpi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL) == JVMPI_SUCCESS);
    say("and their traces", traces > 1);
    traces = 0;
    say("heap", jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, NULL) == JVMPI_SUCCESS);
    say("and its traces", traces > 1);
    say("methods that were told", unknown == 0);
}

static void work(void *unused)
{
    JNIEnv *env = NULL;
    FILE *done;
    (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_2);
    if (strcmp(mode, "cpu") == 0)
        compare_clocks(CLOCK_THREAD_CPUTIME_ID);
    if (strcmp(mode, "wall") == 0)
        compare_clocks(CLOCK_MONOTONIC);
    if (strcmp(mode, "used") == 0)
        count_used(env);
    if (strcmp(mode, "suspend") == 0)
        suspend_twice(env);
    if (strcmp(mode, "woven") == 0)
        weave();
    done = fopen("done", "w");
    if (done)
        fclose(done);
}

static void call_thread_functions(JNIEnv *env)
{
    JVMPI_CallFrame frames[FRAMES];
    JVMPI_CallTrace trace = {env, 0, frames};
    jint result = JVMPI_SUCCESS;
    jvmpi->GetCallTrace(&trace, FRAMES);
    say("a trace", trace.num_frames >= 0 && trace.num_frames <= FRAMES);
    say("CPU time", jvmpi->GetCurrentThreadCpuTime() > 0);
    jvmpi->SetThreadLocalStorage(env, frames);
    say("storage", jvmpi->GetThreadLocalStorage(env) == frames);
    jvmpi->SetThreadLocalStorage(env, NULL);
    jvmpi->SuspendThread(env);
    jvmpi->ResumeThread(env);
    jvmpi->SuspendThreadList(1, &env, &result);
    say("no thread suspends itself", result == JVMPI_FAIL);
    jvmpi->ResumeThreadList(1, &env, &result);
    say("status", jvmpi->GetThreadStatus(env) >= 0);
    say("has not run", jvmpi->ThreadHasRun(env) <= JNI_TRUE);
    say("no thread yet",
        jvmpi->CreateSystemThread((char *)"early", JVMPI_NORMAL_PRIORITY, work) == JNI_ERR);
}

static void call_all_early(JNIEnv *env)
{
    JVMPI_RawMonitor monitor = jvmpi->RawMonitorCreate((char *)"early");
    jvmpi->RawMonitorEnter(monitor);
    jvmpi->RawMonitorWait(monitor, 1);
    jvmpi->RawMonitorNotifyAll(monitor);
    jvmpi->RawMonitorExit(monitor);
    jvmpi->RawMonitorDestroy(monitor);
    call_thread_functions(env);
    jvmpi->RunGC();
    jvmpi->DisableGC();
    jvmpi->GetThreadObject(env);
    say("no object", !jvmpi->jobjectID2jobject(NULL));
    say("no id", !jvmpi->jobject2jobjectID(NULL));
    jvmpi->EnableGC();
    say("no dump", jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_DUMP, NULL) == JVMPI_FAIL);
    say("no such event", jvmpi->RequestEvent(JVMPI_EVENT_GC_START, NULL) == JVMPI_NOT_AVAILABLE);
    say("on", jvmpi->EnableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL) == JVMPI_SUCCESS);
    say("and off", jvmpi->DisableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL) == JVMPI_SUCCESS);
}

static void on_event(JVMPI_Event *e)
{
    switch (e->event_type) {
    case JVMPI_EVENT_JVM_INIT_DONE:
        jvmpi->CreateSystemThread((char *)"functions", JVMPI_NORMAL_PRIORITY, work);
        break;
    case JVMPI_EVENT_GC_FINISH:
        used = (long)e->u.gc_info.used_objects;
        break;
    case JVMPI_EVENT_THREAD_START:
        if (e->u.thread_start.thread_name && strcmp(e->u.thread_start.thread_name, "main") == 0)
            main_thread = e->u.thread_start.thread_env_id;
        break;
    case JVMPI_EVENT_CLASS_LOAD:
        for (jint i = 0; i < e->u.class_load.num_methods; i++) {
            int at = told_count++;
            if (at < METHODS)
                told[at] = e->u.class_load.methods[i].method_id;
            if (strcmp(e->u.class_load.class_name, "Rough") == 0 &&
                strcmp(e->u.class_load.methods[i].method_name, "main") == 0)
                rough_main = e->u.class_load.methods[i].method_id;
        }
        break;
    case JVMPI_EVENT_MONITOR_DUMP | JVMPI_REQUESTED_EVENT:
        look_at(e->u.monitor_dump.traces, e->u.monitor_dump.num_traces);
        break;
    case JVMPI_EVENT_HEAP_DUMP | JVMPI_REQUESTED_EVENT:
        look_at(e->u.heap_dump.traces, e->u.heap_dump.num_traces);
        break;
    default:
        break;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *java_vm, char *options, void *reserved)
{
    void *answer = NULL;
    JNIEnv *env = NULL;
    vm = java_vm;
    mode = strdup(options);
    if ((*vm)->GetEnv(vm, &answer, JVMPI_VERSION_1_2) < 0)
        return JNI_ERR;
    jvmpi = answer;
    jvmpi->NotifyEvent = on_event;
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_INIT_DONE, NULL);
    if (strcmp(mode, "early") == 0 && (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_2) == JNI_OK)
        call_all_early(env);
    if (strcmp(mode, "used") == 0)
        jvmpi->EnableEvent(JVMPI_EVENT_GC_FINISH, NULL);
    if (strcmp(mode, "woven") == 0)
        jvmpi->EnableEvent(JVMPI_EVENT_CLASS_LOAD, NULL);
    if (strcmp(mode, "suspend") == 0 || strcmp(mode, "woven") == 0)
        jvmpi->EnableEvent(JVMPI_EVENT_THREAD_START, NULL);
    return JNI_OK;
}
