/*
 * state_test.c - thread states against JVM TI, and C frames against call chains that are known;
 * called from AsgstStates.java.
 *
 * Built without frame pointers: only call frame information leads out of the functions here. Each
 * native returns NULL, or what was wrong. Also an agent, for JVM TI.
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <asgst.h>
#include <dlfcn.h>
#include <jvmti.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include "verdict.h"

enum { THREADS = 16, FRAMES = 200, TRIES = 60000, DIFFER = 1000 };

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiCapabilities want;
    memset(&want, 0, sizeof(want));
    return agent_start(vm, &want);
}

static void pause_ms(int ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* ---- states ---- */

static pthread_t threads[THREADS];
static int state_seen;
static bool is_seen;

static void on_state(int sig, siginfo_t *info, void *ucontext)
{
    __atomic_store_n(&state_seen, ASGST_ThreadState(), __ATOMIC_SEQ_CST);
    __atomic_store_n(&is_seen, 1, __ATOMIC_SEQ_CST);
}

JNIEXPORT void JNICALL Java_AsgstStates_enter(JNIEnv *env, jclass self, jint number)
{
    threads[number] = pthread_self();
}

/* What the thread itself says when it is interrupted by a signal. */
static int ask(int number)
{
    is_seen = false;
    pthread_kill(threads[number], SIGPROF);
    for (int i = 0; i < TRIES && !__atomic_load_n(&is_seen, __ATOMIC_SEQ_CST); i++)
        pause_ms(1);
    return is_seen ? state_seen : -1;
}

/* Waits until JVM TI has `wanted` for it, which must then be what the library says. */
static int compare_state(jthread thread, int number, jint wanted)
{
    jint before = 0, after = 0, ours = 0;
    int differ = 0;
    for (int i = 0; i < TRIES; i++) {
        (*ti)->GetThreadState(ti, thread, &before);
        if (before != wanted) {
            pause_ms(1);
            continue;
        }
        ours = ask(number);
        (*ti)->GetThreadState(ti, thread, &after);
        if (ours == wanted)
            return 1;
        if (after == wanted && ++differ == DIFFER)
            break;
    }
    return fail("thread %d: %x, JVM TI %x then %x, wanted %x", number, ours, before, after, wanted);
}

JNIEXPORT jstring JNICALL Java_AsgstStates_compare(JNIEnv *env, jclass self, jobjectArray all,
                                                   jintArray wanted)
{
    struct sigaction action;
    jint states[THREADS];
    int good = 1;
    jsize count = (*env)->GetArrayLength(env, all);
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = on_state;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGPROF, &action, NULL);
    (*env)->GetIntArrayRegion(env, wanted, 0, count, states);
    for (jsize i = 0; good && i < count; i++)
        good = compare_state((*env)->GetObjectArrayElement(env, all, i), i, states[i]);
    return verdict(env, good);
}

/* ---- C frames ---- */

struct walk {
    ASGST_Frame frames[FRAMES];
    int kind, count;
};
static struct walk walk;

static void on_walk(ASGST_Iterator *it, void *arg)
{
    struct walk *w = arg;
    w->count = 0;
    while (w->count < FRAMES && ASGST_NextFrame(it, &w->frames[w->count]) == 1)
        w->count++;
}

static void on_signal(int sig, siginfo_t *info, void *ucontext)
{
    walk.kind = ASGST_RunWithIterator(ucontext, ASGST_INCLUDE_NON_JAVA_FRAMES, on_walk, &walk);
}

static void (*leaf)(void);

static void by_context(void)
{
    ucontext_t context;
    getcontext(&context);
    walk.kind = ASGST_RunWithIterator(&context, ASGST_INCLUDE_NON_JAVA_FRAMES, on_walk, &walk);
}

/* Interrupted deep in the C library. */
static void by_signal(void)
{
    raise(SIGUSR1);
}

#define KEPT __attribute__((noinline, visibility("default")))

/* The work after each call keeps the call from being a jump. */
KEPT int chain_inner(int n)
{
    volatile char some[300];
    some[n] = 1;
    leaf();
    return some[n] + n;
}

KEPT int chain_compare(const void *a, const void *b)
{
    return chain_inner(1) * 0 + (*(const int *)a - *(const int *)b);
}

/* The C library's qsort() is between this and chain_compare(). */
KEPT int chain_sort(int n)
{
    int numbers[2] = {n + 1, n};
    qsort(numbers, 2, sizeof(*numbers), chain_compare);
    return numbers[0];
}

KEPT int chain_outer(int n)
{
    volatile char some[100];
    some[n] = 3;
    return chain_sort(n) + some[n];
}

static const char *name_of(const ASGST_Frame *f)
{
    Dl_info info;
    return f->type == ASGST_FRAME_NON_JAVA && dladdr((char *)f->pc - 1, &info) && info.dli_sname
               ? info.dli_sname
               : "?";
}

/* The functions of this file that the walk has, in its order. */
static void name_chain(const struct walk *w, char *to, size_t size)
{
    to[0] = 0;
    for (int i = 0; i < w->count; i++) {
        const char *name = name_of(&w->frames[i]);
        if (strncmp(name, "chain_", 6) == 0 || strncmp(name, "Java_AsgstStates", 16) == 0) {
            strncat(to, name, size - strlen(to) - 1);
            strncat(to, " ", size - strlen(to) - 1);
        }
    }
}

static bool is_chain(const char *wanted)
{
    char names[1000] = "";
    /* The library makes its tables when they are first asked for. */
    for (int i = 0; i < TRIES; i++) {
        chain_outer(0);
        name_chain(&walk, names, sizeof(names));
        if (strcmp(names, wanted) == 0)
            return true;
        pause_ms(2);
    }
    return fail("kind %d, %d frames: %s", walk.kind, walk.count, names);
}

/* Behind the C frames come the native method's, and its callers. */
static bool has_java_below(void)
{
    int i = 0;
    while (i < walk.count && walk.frames[i].type == ASGST_FRAME_NON_JAVA)
        i++;
    if (i >= walk.count || walk.frames[i].type != ASGST_FRAME_JAVA_NATIVE)
        return fail("frame %d of %d is no native method", i, walk.count);
    return walk.kind == ASGST_JAVA_TRACE ? 1 : fail("kind %d", walk.kind);
}

static void take_usr1(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGUSR1, &action, NULL);
}

#define CHAIN "chain_inner chain_compare chain_sort chain_outer "

JNIEXPORT jstring JNICALL Java_AsgstStates_chain(JNIEnv *env, jclass self, jboolean by_raise)
{
    take_usr1();
    leaf = by_raise ? by_signal : by_context;
    return verdict(env, is_chain(CHAIN "Java_AsgstStates_chain ") && has_java_below());
}

KEPT void *chain_thread(void *good)
{
    *(int *)good = is_chain(CHAIN "chain_thread ");
    if (*(int *)good && walk.kind != ASGST_NON_JAVA_TRACE)
        *(int *)good = fail("kind %d", walk.kind);
    return NULL;
}

JNIEXPORT jstring JNICALL Java_AsgstStates_chainOfThread(JNIEnv *env, jclass self)
{
    pthread_t thread;
    int good = 0;
    leaf = by_signal;
    pthread_create(&thread, NULL, chain_thread, &good);
    pthread_join(thread, NULL);
    return verdict(env, good);
}
