/*
 * starting_test.c - questions to threads that are just starting; called from AsgstStarting.java.
 *
 * The VM stores the Thread* of a thread under a pthread key while the thread starts. A handler that
 * runs in the middle of it must not take it away: afterwards the library knows the thread, and so
 * does the VM. Each native returns NULL, or what was wrong. Also an agent, which waits until the
 * library is ready.
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <asgst.h>
#include <dirent.h>
#include <jvmti.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include "verdict.h"

enum { SIGNAL_NS = 100000, KNOWN_STEPS = 1000 };

static JavaVM *java;

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiCapabilities want;
    java = vm;
    memset(&want, 0, sizeof(want));
    return agent_start(vm, &want);
}

static void handle(int number, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

/* ---- an attaching thread, instruction by instruction ---- */

static long steps_unknown, steps_known;

#ifdef __x86_64__
enum { TRAP_FLAG = 0x100 };

/* Asks until the library has known the thread for a while, then lets it run. */
static void on_step(int number, siginfo_t *info, void *context)
{
    if (ASGST_ThreadState() == 0)
        steps_unknown++;
    else if (++steps_known == KNOWN_STEPS)
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

static void switch_steps(int number, siginfo_t *info, void *context)
{
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static void *attach(void *unused)
{
    JNIEnv *env = NULL, *again = NULL;
    handle(SIGTRAP, on_step);
    handle(SIGUSR2, switch_steps);
    raise(SIGUSR2);
    jint error = (*java)->AttachCurrentThread(java, (void **)&env, NULL);
    if (error != JNI_OK)
        return fail("attaching: %d", error), NULL;
    jint state = ASGST_ThreadState();
    error = (*java)->GetEnv(java, (void **)&again, JNI_VERSION_1_6);
    (*java)->DetachCurrentThread(java);
    if (error != JNI_OK || again != env || state == 0)
        fail("GetEnv says %d, the library's state is %x", error, state);
    else if (ASGST_ThreadState() != 0)
        fail("a thread that has left the VM is known");
    else if (steps_unknown == 0 || steps_known != KNOWN_STEPS)
        fail("%ld steps without an answer, %ld with one", steps_unknown, steps_known);
    else
        return &java;
    return NULL;
}
#else
static void *attach(void *unused)
{
    return &java; /* there are no single steps on this CPU */
}
#endif

JNIEXPORT jstring JNICALL Java_AsgstStarting_attachStepwise(JNIEnv *env, jclass self)
{
    pthread_t thread;
    void *is_good = NULL;
    if (ASGST_ThreadState() == 0)
        return verdict(env, fail("a thread of Java is not known"));
    pthread_create(&thread, NULL, attach, NULL);
    pthread_join(thread, &is_good);
    return verdict(env, is_good != NULL);
}

/* ---- many threads, under signals ---- */

static long asked;
static bool is_over;
static pthread_t sampler;

static void on_signal(int number, siginfo_t *info, void *context)
{
    ASGST_ThreadState();
    __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED);
}

/* The newest threads are the last of the list. */
static void *send_signals(void *unused)
{
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        DIR *tasks = opendir("/proc/self/task");
        struct dirent *task;
        pid_t last = 0;
        while (tasks && (task = readdir(tasks)))
            last = atoi(task->d_name) > last ? atoi(task->d_name) : last;
        if (tasks)
            closedir(tasks);
        if (last != (pid_t)syscall(SYS_gettid))
            syscall(SYS_tgkill, getpid(), last, SIGPROF);
        nanosleep(&(struct timespec){0, SIGNAL_NS}, NULL);
    }
    return NULL;
}

JNIEXPORT void JNICALL Java_AsgstStarting_beginSignals(JNIEnv *env, jclass self)
{
    handle(SIGPROF, on_signal);
    pthread_create(&sampler, NULL, send_signals, NULL);
}

JNIEXPORT jlong JNICALL Java_AsgstStarting_endSignals(JNIEnv *env, jclass self)
{
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
    pthread_join(sampler, NULL);
    return asked;
}

JNIEXPORT jboolean JNICALL Java_AsgstStarting_isKnown(JNIEnv *env, jclass self)
{
    return ASGST_ThreadState() != 0;
}
