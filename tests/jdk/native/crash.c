/*
 * crash.c - a native library that dies in the ways that people's libraries die.
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <jni.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int *volatile nowhere;

__attribute__((noinline)) void crash_write(int value)
{
    *nowhere = value;
}

/* Touches the last page of the stack, as a function with a large frame does at the end of a deep
 * recursion. (If the stack pointer itself were there, the kernel could not deliver the signal, and
 * no log would be written.) */
__attribute__((noinline)) void crash_deep(void)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &low, &size);
    *((volatile char *)low + 256) = 1;
}

JNIEXPORT void JNICALL Java_Crash_write(JNIEnv *env, jclass self)
{
    (void)env, (void)self;
    crash_write(7);
}

JNIEXPORT void JNICALL Java_Crash_copy(JNIEnv *env, jclass self)
{
    (void)env, (void)self;
    /* in the C library, by our fault */
    memset(nowhere, 7, 1 << 20);
}

JNIEXPORT void JNICALL Java_Crash_deep(JNIEnv *env, jclass self)
{
    (void)env, (void)self;
    crash_deep();
}

/* Reads a page of a file that was cut after it was mapped. */
JNIEXPORT jint JNICALL Java_Crash_cut(JNIEnv *env, jclass self, jstring name)
{
    (void)self;
    const char *path = (*env)->GetStringUTFChars(env, name, NULL);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || ftruncate(fd, 1 << 16) < 0)
        return -1;
    char *bytes = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (ftruncate(fd, 0) < 0)
        return -1;
    return bytes[1 << 15];
}

JNIEXPORT void JNICALL Java_Crash_kill(JNIEnv *env, jclass self)
{
    (void)env, (void)self;
    kill(getpid(), SIGSEGV);
    pause();
}

/* Takes all addresses that the limit leaves, and all that this thread's malloc() has left. */
JNIEXPORT void JNICALL Java_Crash_eat(JNIEnv *env, jclass self)
{
    (void)env, (void)self;
    for (size_t size = (size_t)1 << 30; size >= 4096; size /= 2)
        while (mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) !=
               MAP_FAILED)
            ;
    for (size_t size = 1 << 16; size >= 16; size /= 2)
        while (malloc(size))
            ;
}

/* As an agent: dies when the VM is ready. */
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)vm, (void)reserved;
    if (options && strncmp(options, "now", 3) == 0)
        crash_write(9);
    return 0;
}
