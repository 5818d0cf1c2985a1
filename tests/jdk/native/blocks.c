/*
 * blocks.c - native memory with known counts, for event=nativemem. Each function allocates in a C
 * function of its own name, and returns what it holds afterwards.
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <jni.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "imports/imports_library.c" /* the folder is an option of the compiler */
#include "hooked.h"

#define APART __attribute__((noinline, noclone))

static void *volatile kept[1 << 16];
static volatile int used;

static void keep(void *block)
{
    memset(block, 1, 8);
    kept[used++] = block;
}

APART void blocks_leak(int count, size_t bytes)
{
    for (int i = 0; i < count; i++)
        keep(malloc(bytes));
}

APART void blocks_churn(int count, size_t bytes)
{
    for (int i = 0; i < count; i++) {
        void *volatile block = malloc(bytes);
        free(block);
    }
}

/* One block of each function that makes blocks; they are held. */
APART void blocks_each(size_t bytes)
{
    void *placed;
    keep(calloc(2, bytes / 2));
    keep(aligned_alloc(64, bytes));
    keep(memalign(64, bytes));
    if (posix_memalign(&placed, 64, bytes) == 0)
        keep(placed);
    keep(realloc(NULL, bytes));
}

/* Blocks that grow: of each only its last state is held. */
APART void blocks_grow(int count, size_t bytes)
{
    for (int i = 0; i < count; i++) {
        char *volatile block = malloc(bytes);
        block = realloc(block, bytes * 2);
        block = realloc(block, bytes * 4);
        keep(block);
    }
}

/* A realloc() that fails leaves the block as it was; with a size of 0 it frees it. */
APART void blocks_fail(int count, size_t bytes)
{
    for (int i = 0; i < count; i++) {
        void *volatile block = malloc(bytes);
        volatile size_t too_much = SIZE_MAX / 4;
        if (realloc(block, too_much))
            abort();
        keep(block);
        void *volatile other = malloc(bytes);
        volatile size_t nothing = 0;
        if (realloc(other, nothing))
            abort();
    }
}

static void *free_all(void *arg)
{
    void **blocks = arg;
    for (int i = 0; blocks[i]; i++)
        free(blocks[i]);
    return NULL;
}

/* Blocks that another thread frees, one that the VM does not know. */
APART void blocks_handed(int count, size_t bytes)
{
    static void *blocks[1025];
    pthread_t thread;
    for (int i = 0; i < count && i < 1024; i++) {
        blocks[i] = malloc(bytes);
        blocks[i + 1] = NULL;
    }
    pthread_create(&thread, NULL, free_all, blocks);
    pthread_join(thread, NULL);
}

static void *leak_here(void *arg)
{
    blocks_leak(16, (size_t)(uintptr_t)arg);
    return NULL;
}

APART void blocks_thread(size_t bytes)
{
    pthread_t thread;
    pthread_create(&thread, NULL, leak_here, (void *)(uintptr_t)bytes);
    pthread_join(thread, NULL);
}

static volatile size_t handled_bytes;

APART void blocks_handled(int signal)
{
    keep(malloc(handled_bytes));
}

APART void blocks_signal(int count, size_t bytes)
{
    struct sigaction action = {.sa_handler = blocks_handled}, before;
    handled_bytes = bytes;
    sigaction(SIGUSR2, &action, &before);
    for (int i = 0; i < count; i++)
        raise(SIGUSR2);
    sigaction(SIGUSR2, &before, NULL);
}

/* What a forked child allocates and frees is not the program's. Returns whether the child ended
 * well. */
APART int blocks_fork(int count, size_t bytes)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        blocks_leak(count, bytes);
        for (int i = 0; i < used; i++)
            free(kept[i]);
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/* A thread that blocks every signal, also those of faults. */
APART void blocks_masked(int count, size_t bytes)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    blocks_leak(count, bytes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Loads a library, lets it allocate and free, and unloads it, `count` times. */
APART int blocks_load(const char *path, int flags, int count)
{
    int well = 0;
    for (int i = 0; i < count; i++) {
        void *library = dlopen(path, flags);
        int (*use)(int) = library ? (int (*)(int))dlsym(library, "late_use") : NULL;
        well += use && use(100) == 100;
        if (library)
            dlclose(library);
    }
    return well;
}

JNIEXPORT void JNICALL Java_Blocks_leak(JNIEnv *env, jclass self, jint count, jint bytes)
{
    blocks_leak(count, (size_t)bytes);
}

JNIEXPORT jint JNICALL Java_Blocks_all(JNIEnv *env, jclass self, jint count, jint bytes,
                                       jstring late, jint flags, jint loads)
{
    const char *path = (*env)->GetStringUTFChars(env, late, NULL);
    int well;
    blocks_churn(count, (size_t)bytes);
    blocks_each((size_t)bytes);
    blocks_grow(count, (size_t)bytes);
    blocks_fail(count, (size_t)bytes);
    blocks_handed(count, (size_t)bytes);
    blocks_thread((size_t)bytes);
    blocks_signal(count, (size_t)bytes);
    blocks_masked(count, (size_t)bytes);
    well = blocks_fork(count, (size_t)bytes);
    well += blocks_load(path, flags, loads);
    (*env)->ReleaseStringUTFChars(env, late, path);
    return well;
}

JNIEXPORT jint JNICALL Java_Blocks_hooked(JNIEnv *env, jclass self)
{
    return hooked();
}
