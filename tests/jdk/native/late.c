/*
 * late.c - a library that works as soon as it is loaded, and asks for a dump from within.
 *
 * Loaded by class Late, in many copies. SPDX-License-Identifier: Apache-2.0
 */
#include <jni.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { WORK_MS = 15 };

__attribute__((noinline)) void late_work(void)
{
    struct timespec from, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    do {
        for (volatile int i = 0; i < 20000; i++)
            continue;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < WORK_MS);
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
    (void)vm;
    (void)reserved;
    late_work();
    kill(getpid(), SIGQUIT);
    return JNI_VERSION_1_6;
}
