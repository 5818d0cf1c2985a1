/*
 * jvmpi_thread.c - see jvmpi_thread.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_thread.h"
#include <stdlib.h>
#include <string.h>
#include "base/lock.h"
#include "jvmpi/jvmpi_bridge.h"
#include "vm/vm_threads.h"

enum {
    BUCKETS = 1024,
    ENV_SHIFT = 6, /* JNIEnvs of two threads are at least a cache line apart */
};

static struct {
    struct lock lock;
    struct jvmpi_thread *_Atomic buckets[BUCKETS];
    struct jvmpi_thread *free;
} threads = {.lock = LOCK_INIT(JVMPI_THREADS)};

/* ---- records */

static struct jvmpi_thread *_Atomic *bucket_of(JNIEnv *env)
{
    return &threads.buckets[((uintptr_t)env >> ENV_SHIFT) % BUCKETS];
}

/* Needs the lock. */
static struct jvmpi_thread *look_up(JNIEnv *env)
{
    struct jvmpi_thread *t = *bucket_of(env);

    while (t && t->env != env)
        t = t->next;
    return t;
}

struct jvmpi_thread *jvmpi_thread_find(JNIEnv *env)
{
    struct jvmpi_thread *t = jvmpi_self.thread;

    if (t && t->env == env)
        return t;
    lock_take(&threads.lock);
    t = look_up(env);
    lock_give(&threads.lock);
    return t;
}

struct jvmpi_thread *jvmpi_thread_enter(JNIEnv *env)
{
    struct jvmpi_thread *t;

    lock_take(&threads.lock);
    t = look_up(env);
    if (!t) {
        t = threads.free;
        if (t)
            threads.free = t->next;
        else
            t = malloc(sizeof(*t));
    }
    if (t && !look_up(env)) {
        memset(t, 0, sizeof(*t));
        t->env = env;
        t->next = *bucket_of(env);
        *bucket_of(env) = t;
    }
    lock_give(&threads.lock);
    return t;
}

void jvmpi_thread_leave(struct jvmpi_thread *t)
{
    struct jvmpi_thread *_Atomic *at = bucket_of(t->env);

    lock_take(&threads.lock);
    if (*at == t) {
        *at = t->next;
    } else {
        struct jvmpi_thread *before = *at;

        while (before->next != t)
            before = before->next;
        before->next = t->next;
    }
    t->env = NULL;
    t->next = threads.free;
    threads.free = t;
    lock_give(&threads.lock);
}

JNIEnv *jvmpi_thread_env(JNIEnv *env, jthread thread)
{
    return vm_threads_jni_env(env, thread);
}

bool jvmpi_thread_claim(struct jvmpi_thread *t, jobject ref)
{
    bool is_new;

    lock_take(&threads.lock);
    is_new = !t->ref;
    if (is_new)
        t->ref = ref;
    lock_give(&threads.lock);
    return is_new;
}

bool jvmpi_thread_is_open(JNIEnv *env)
{
    if (!jvmpi_self.thread) {
        struct jvmpi_thread *t = jvmpi_thread_find(env);

        if (t && atomic_load(&t->is_told))
            jvmpi_self.thread = t;
    }
    return jvmpi_self.thread != NULL;
}

/* ---- what the interface has */

void jvmpi_thread_set_storage(int agent, JNIEnv *env, void *value)
{
    struct jvmpi_thread *t = jvmpi_thread_find(env);

    if (!t && value)
        t = jvmpi_thread_enter(env);
    if (t)
        t->storage[agent] = value;
}

void *jvmpi_thread_get_storage(int agent, JNIEnv *env)
{
    const struct jvmpi_thread *t = jvmpi_thread_find(env);

    return t ? t->storage[agent] : NULL;
}
