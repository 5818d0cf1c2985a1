/*
 * chain.c - C code that is busy at known depths: what stacks with native frames are checked with.
 *
 * Loaded by class Chain. No function is inlined, made a tail call, or has a frame pointer.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <jni.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

#define KEPT __attribute__((noinline, noclone, used))

static volatile unsigned long sink;

KEPT unsigned long chain_leaf(long rounds)
{
    unsigned long x = 1;
    for (long i = 0; i < rounds; i++)
        x = x * 6364136223846793005u + (unsigned long)i;
    sink += x;
    return x;
}

/* A frame of a size that is not known before it runs: found by the frame pointer only. */
KEPT unsigned long chain_middle(long rounds, int size)
{
    volatile char *room = __builtin_alloca((size_t)size);
    room[0] = room[size - 1] = (char)chain_leaf(rounds);
    return (unsigned long)room[0] + 1;
}

KEPT unsigned long chain_outer(long rounds)
{
    return chain_middle(rounds, 64 + (int)(rounds & 63)) + 1;
}

/* Busy in C, called from Java. */
JNIEXPORT jlong JNICALL Java_Chain_down(JNIEnv *env, jclass klass, jlong rounds)
{
    (void)env;
    (void)klass;
    return (jlong)chain_outer(rounds) + 1;
}

KEPT jint chain_back(JNIEnv *env, jclass klass, jlong rounds)
{
    jmethodID busy = (*env)->GetStaticMethodID(env, klass, "busy", "(J)I");
    return (*env)->CallStaticIntMethod(env, klass, busy, rounds) + 1;
}

/* Busy in Java, called from C, called from Java. */
JNIEXPORT jint JNICALL Java_Chain_round(JNIEnv *env, jclass klass, jlong rounds)
{
    return chain_back(env, klass, rounds) + 1;
}

/* Busy in C, called from Java, called from C, called from Java. */
JNIEXPORT jint JNICALL Java_Chain_deep(JNIEnv *env, jclass klass, jlong rounds)
{
    jmethodID again = (*env)->GetStaticMethodID(env, klass, "again", "(J)J");
    return (jint)(*env)->CallStaticLongMethod(env, klass, again, rounds) + 1;
}

/* Until it has used that many ms of CPU time. */
KEPT void *chain_thread(void *argument)
{
    long ms = *(const int *)argument;
    struct timespec used;
    do {
        sink += chain_outer(1000000);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    } while (used.tv_sec * 1000 + used.tv_nsec / 1000000 < ms);
    return argument;
}

/* A thread that the VM does not know, with faults blocked if `masked`. */
JNIEXPORT void JNICALL Java_Chain_thread(JNIEnv *env, jclass klass, jint ms, jboolean masked)
{
    sigset_t faults, before;
    pthread_t thread;
    int wanted = ms;
    (void)env;
    (void)klass;
    sigemptyset(&faults);
    sigaddset(&faults, SIGSEGV);
    sigaddset(&faults, SIGBUS);
    if (masked)
        pthread_sigmask(SIG_BLOCK, &faults, &before);
    int error = pthread_create(&thread, NULL, chain_thread, &wanted);
    if (masked)
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error == 0)
        pthread_join(thread, NULL);
}
