/*
 * crash.c - a native library that dies in the ways that people's libraries die.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fcntl.h>
#include <jni.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int *volatile nowhere;
static volatile char last;

__attribute__((noinline)) void crash_write(int value)
{
    *nowhere = value;
}

__attribute__((noinline)) int crash_deep(int depth)
{
    char room[256];
    memset(room, depth, sizeof(room));
    last = room[depth & 255];
    return crash_deep(depth + 1) + room[0];
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

JNIEXPORT jint JNICALL Java_Crash_deep(JNIEnv *env, jclass self)
{
    (void)env, (void)self;
    return crash_deep(0);
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

/* As an agent: dies when the VM is ready. */
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)vm, (void)reserved;
    if (options && strncmp(options, "now", 3) == 0)
        crash_write(9);
    return 0;
}
