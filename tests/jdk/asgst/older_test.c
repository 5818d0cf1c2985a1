/*
 * older_test.c - AsyncGetStackTrace and AsyncGetCallTrace against JVM TI, called from
 * AsgstOlder.java.
 *
 * The types of AsyncGetCallTrace are not those of asgct.h: programs that compare the two have their
 * own.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <jvmti.h>
#include <profile.h>
#include <stdbool.h>
#include "asgct_types.h"
#include "why.h"

#define ASGCT_HAS_TYPES
#include <asgct.h>
#include <asgst_ready.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    DEPTH = 200,
    SPINS = 11,
};

static jvmtiEnv *ti;
static int ready_on_load, ready_on_init, kind_on_load;
static ASGST_CallTrace on_load;

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    ready_on_init = ASGST_WaitUntilReady(0);
}

static void JNICALL on_prepare(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass klass)
{
    jint count;
    jmethodID *ids;
    if ((*ti)->GetClassMethods(ti, klass, &count, &ids) == JVMTI_ERROR_NONE)
        (*ti)->Deallocate(ti, (unsigned char *)ids);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiEventCallbacks callbacks;
    ASGST_CallFrame frames[4];
    memset(&callbacks, 0, sizeof(callbacks));
    callbacks.VMInit = on_vm_init;
    callbacks.ClassPrepare = on_prepare;
    on_load.frames = frames;
    AsyncGetStackTrace(&on_load, 4, NULL, 0);
    kind_on_load = on_load.kind;
    ready_on_load = ASGST_WaitUntilReady(3);
    if ((*vm)->GetEnv(vm, (void **)&ti, JVMTI_VERSION_1_2) != JNI_OK ||
        (*ti)->SetEventCallbacks(ti, &callbacks, sizeof(callbacks)) != JVMTI_ERROR_NONE)
        return JNI_ERR;
    (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_PREPARE, NULL);
    return JNI_OK;
}

JNIEXPORT jstring JNICALL Java_AsgstOlder_beforeTheVm(JNIEnv *env, jclass self)
{
    int good = on_load.num_frames == ASGST_NUM_FRAMES_NOT_READY &&
               kind_on_load == ASGST_UNKNOWN_TRACE && ready_on_load == 0 && ready_on_init == 1;
    if (!good)
        fail("%d frames, kind %d, ready %d, at VMInit %d", (int)on_load.num_frames, kind_on_load,
             ready_on_load, ready_on_init);
    return verdict(env, good);
}

static bool is_native(const jvmtiFrameInfo *truth)
{
    return truth->location == -1;
}

/* The Java frames of a trace against GetStackTrace's. */
static int compare(const ASGST_CallTrace *t, const jvmtiFrameInfo *truth, jint count)
{
    int java = 0;
    if (t->kind != ASGST_JAVA_TRACE || t->num_frames < count)
        return fail("kind %d, %d frames, GetStackTrace %d", t->kind, (int)t->num_frames, count);
    for (int i = 0; i < t->num_frames; i++) {
        const ASGST_CallFrame *f = &t->frames[i];
        if (f->type == ASGST_FRAME_STUB || f->type == ASGST_FRAME_CPP)
            continue;
        jlong location = is_native(&truth[java]) ? 0 : truth[java].location;
        if (java >= count || f->java_frame.method_id != truth[java].method ||
            f->java_frame.bci != location ||
            (f->type == ASGST_FRAME_NATIVE) != is_native(&truth[java]))
            return fail("frame %d: type %d bci %d, GetStackTrace %d", java, f->type,
                        f->java_frame.bci, (int)truth[java].location);
        java++;
    }
    return java == count ? 1 : fail("%d Java frames, GetStackTrace %d", java, count);
}

static ASGST_CallFrame frames[DEPTH];
static jvmtiFrameInfo truth[DEPTH];

static int check_here(uint32_t options, bool wants_c)
{
    ASGST_CallTrace trace = {0, 0, frames, NULL};
    jint count = 0;
    (*ti)->GetStackTrace(ti, NULL, 0, DEPTH, truth, &count);
    AsyncGetStackTrace(&trace, DEPTH, NULL, options);
    if (!compare(&trace, truth, count))
        return 0;
    if ((frames[0].type == ASGST_FRAME_CPP) != wants_c)
        return fail("the innermost frame has type %d", frames[0].type);
    /* C frames of this file: the first lies in this function */
    uint64_t distance = wants_c ? (uint64_t)frames[0].non_java_frame.pc - (uint64_t)check_here : 0;
    return distance < 4096 ? 1 : fail("the first C frame lies elsewhere");
}

JNIEXPORT jstring JNICALL Java_AsgstOlder_here(JNIEnv *env, jclass self)
{
    return verdict(env, check_here(0, 0));
}

JNIEXPORT jstring JNICALL Java_AsgstOlder_hereWithCFrames(JNIEnv *env, jclass self)
{
    return verdict(env, check_here(ASGST_INCLUDE_C_FRAMES, 1));
}

static int compare_call(const ASGCT_CallTrace *t, jint count)
{
    if (t->num_frames != count)
        return fail("%d frames, GetStackTrace %d", (int)t->num_frames, count);
    for (int i = 0; i < count; i++) {
        if (t->frames[i].method_id != truth[i].method ||
            t->frames[i].lineno != (is_native(&truth[i]) ? -3 : truth[i].location))
            return fail("frame %d: bci %d, GetStackTrace %d", i, t->frames[i].lineno,
                        (int)truth[i].location);
    }
    return 1;
}

JNIEXPORT jstring JNICALL Java_AsgstOlder_callTraceHere(JNIEnv *env, jclass self)
{
    ASGCT_CallFrame calls[DEPTH];
    ASGCT_CallTrace trace = {env, 0, calls}, anonymous = {NULL, 0, calls};
    jint count = 0;
    (*ti)->GetStackTrace(ti, NULL, 0, DEPTH, truth, &count);
    ASGST_AsyncGetCallTrace(&trace, DEPTH, NULL, -1);
    int good = compare_call(&trace, count);
    ASGST_AsyncGetCallTrace(&anonymous, DEPTH, NULL, -1);
    good = good && compare_call(&anonymous, count);
    if (good && (trace.env_id != env || anonymous.env_id))
        good = fail("env_id was written");
    return verdict(env, good);
}

/* ---- another thread, which is stopped in a handler ---- */

static pthread_t worker;
static JNIEnv *worker_env;
static pid_t worker_tid;
static void *volatile stopped_at;
static volatile bool is_adopted, may_go;

static void on_stop(int sig, siginfo_t *info, void *ucontext)
{
    stopped_at = ucontext;
    while (!may_go)
        usleep(100);
    stopped_at = NULL;
}

JNIEXPORT void JNICALL Java_AsgstOlder_adopt(JNIEnv *env, jclass self)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = on_stop;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGUSR2, &action, NULL);
    worker = pthread_self();
    worker_env = env;
    worker_tid = (pid_t)syscall(SYS_gettid);
    is_adopted = 1;
}

static int count_of(const ASGST_CallTrace *t, jmethodID id)
{
    int count = 0;
    for (int i = 0; i < t->num_frames; i++)
        count += t->frames[i].java_frame.method_id == id;
    return count;
}

static jmethodID spin;

static int check_calls(const ASGCT_CallTrace *t, const char *how)
{
    int count = 0;
    for (int i = 0; i < t->num_frames; i++)
        count += t->frames[i].method_id == spin;
    return count == SPINS ? 1 : fail("%s: %d of %d frames are spin", how, count, t->num_frames);
}

static int walk_stopped(void)
{
    ASGST_CallTrace trace = {0, 0, frames, NULL};
    ASGCT_CallFrame calls[DEPTH];
    ASGCT_CallTrace by_tid = {NULL, 0, calls}, by_env = {worker_env, 0, calls};
    AsyncGetStackTrace(&trace, DEPTH, stopped_at, 0);
    if (trace.kind != ASGST_JAVA_TRACE || count_of(&trace, spin) != SPINS)
        return fail("kind %d, %d of %d frames are spin", trace.kind, count_of(&trace, spin),
                    (int)trace.num_frames);
    ASGST_AsyncGetCallTrace(&by_tid, DEPTH, stopped_at, worker_tid);
    if (!check_calls(&by_tid, "by thread id"))
        return 0;
    ASGST_AsyncGetCallTrace(&by_env, DEPTH, stopped_at, -1);
    return check_calls(&by_env, "by env_id");
}

static void *walk_unattached(void *arg)
{
    *(int *)arg = walk_stopped();
    return NULL;
}

static int check_stopped(JNIEnv *env, jclass self, bool is_attached)
{
    pthread_t other;
    int good = 0;
    spin = (*env)->GetStaticMethodID(env, self, "spin", "(I)I");
    while (!is_adopted)
        usleep(1000);
    /* It may still be on its way into the loop. */
    for (int i = 0; i < 1000 && !good; i++) {
        may_go = 0;
        pthread_kill(worker, SIGUSR2);
        while (!stopped_at)
            usleep(100);
        if (is_attached) {
            good = walk_stopped();
        } else {
            pthread_create(&other, NULL, walk_unattached, &good);
            pthread_join(other, NULL);
        }
        may_go = 1;
        while (stopped_at)
            usleep(100);
    }
    return good;
}

JNIEXPORT jstring JNICALL Java_AsgstOlder_ofStoppedThread(JNIEnv *env, jclass self)
{
    return verdict(env, check_stopped(env, self, 0));
}

JNIEXPORT jstring JNICALL Java_AsgstOlder_ofEnvironment(JNIEnv *env, jclass self)
{
    return verdict(env, check_stopped(env, self, 1));
}
