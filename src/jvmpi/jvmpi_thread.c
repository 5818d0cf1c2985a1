/*
 * jvmpi_thread.c - see jvmpi_thread.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_thread.h"
#include "jvmpi/jvmpi_self.h"
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/lock.h"
#include "jvmpi/jvmpi_bridge.h"
#include "vm/vm_threads.h"

enum {
    BUCKETS = 1024,
    ENV_SHIFT = 6, /* the JNIEnvs of two threads are at least a cache line apart */
};

static struct {
    struct lock lock;
    struct jvmpi_thread *_Atomic buckets[BUCKETS];
    struct jvmpi_thread *free;
    JNIEnv **ended; /* threads that have ended since the list began */
    size_t ended_count, ended_room;
    bool is_listing;
} threads = {.lock = LOCK_INIT(JVMPI_THREADS)};

/* ---- records */

static struct jvmpi_thread *_Atomic *bucket_of(JNIEnv *env)
{
    return &threads.buckets[((uintptr_t)env >> ENV_SHIFT) % BUCKETS];
}

/* Find a record. Needs the lock. */
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

/* Find a record, or make it. NULL: no memory. Needs the lock. */
static struct jvmpi_thread *enter(JNIEnv *env)
{
    struct jvmpi_thread *t = look_up(env);
    if (t)
        return t;
    t = threads.free;
    if (t)
        threads.free = t->next;
    else
        t = malloc(sizeof(*t));
    if (t) {
        memset(t, 0, sizeof(*t));
        t->env = env;
        t->next = *bucket_of(env);
        *bucket_of(env) = t;
    }
    return t;
}

struct jvmpi_thread *jvmpi_thread_enter(JNIEnv *env)
{
    struct jvmpi_thread *t;
    lock_take(&threads.lock);
    t = enter(env);
    lock_give(&threads.lock);
    return t;
}

/* Unlink a record, so that nobody finds it any more. Needs the lock. */
static void unlink_record(struct jvmpi_thread *t)
{
    struct jvmpi_thread *_Atomic *at = bucket_of(t->env);

    if (*at == t) {
        *at = t->next;
    } else {
        struct jvmpi_thread *before = *at;
        while (before->next != t)
            before = before->next;
        before->next = t->next;
    }
    t->env = NULL;
}

/* Put a record into the list of free records. Returns the reference that it kept. Needs the
 * lock. */
static jobject give_back(struct jvmpi_thread *t)
{
    jobject ref = t->ref;
    t->ref = NULL;
    t->next = threads.free;
    threads.free = t;
    return ref;
}

static void forget(JNIEnv *env, jobject ref)
{
    if (!ref)
        return;
    jvmpi_self_hush();
    (*env)->DeleteGlobalRef(env, ref);
    jvmpi_self_speak();
}

struct jvmpi_thread *jvmpi_thread_hold(JNIEnv *of)
{
    struct jvmpi_thread *t;
    lock_take(&threads.lock);
    t = look_up(of);
    if (t && !t->ref)
        t = NULL;
    if (t)
        t->holders++;
    lock_give(&threads.lock);
    return t;
}

void jvmpi_thread_let_go(JNIEnv *env, struct jvmpi_thread *t)
{
    jobject ref = NULL;
    lock_take(&threads.lock);
    if (--t->holders == 0 && t->has_ended)
        ref = give_back(t);
    lock_give(&threads.lock);
    forget(env, ref);
}

/* ---- threads begin and end */

void jvmpi_thread_list_begin(void)
{
    lock_take(&threads.lock);
    threads.is_listing = true;
    lock_give(&threads.lock);
}

void jvmpi_thread_list_end(void)
{
    lock_take(&threads.lock);
    threads.is_listing = false;
    free(threads.ended);
    threads.ended = NULL;
    threads.ended_count = threads.ended_room = 0;
    lock_give(&threads.lock);
}

/* Note that a thread has ended. Needs the lock. */
static void note_ended(JNIEnv *env)
{
    if (!threads.is_listing)
        return;
    if (threads.ended_count == threads.ended_room) {
        size_t room = threads.ended_room ? 2 * threads.ended_room : 64;
        JNIEnv **ended = realloc(threads.ended, room * sizeof(JNIEnv *));
        if (!ended)
            return;
        threads.ended = ended;
        threads.ended_room = room;
    }
    threads.ended[threads.ended_count++] = env;
}

/* Whether a thread has ended. `forgets`: a new thread has its JNIEnv, so forget the old one. Needs
 * the lock. */
static bool has_ended(JNIEnv *env, bool forgets)
{
    bool answer = false;
    for (size_t i = 0; i < threads.ended_count; i++) {
        answer |= threads.ended[i] == env;
        if (threads.ended[i] == env && forgets)
            threads.ended[i] = NULL;
    }
    return answer;
}

struct jvmpi_thread *jvmpi_thread_claim(JNIEnv *of, jobject ref, bool is_self)
{
    struct jvmpi_thread *t = NULL;
    lock_take(&threads.lock);
    if (!has_ended(of, is_self) || is_self)
        t = enter(of);
    if (t && t->ref)
        t = NULL;
    if (t)
        t->ref = ref;
    lock_give(&threads.lock);
    return t;
}

struct jvmpi_thread *jvmpi_thread_close(JNIEnv *env)
{
    struct jvmpi_thread *t;
    lock_take(&threads.lock);
    note_ended(env);
    t = look_up(env);
    if (t && !t->ref) { /* the record had only an agent's storage */
        unlink_record(t);
        give_back(t);
        t = NULL;
    }
    lock_give(&threads.lock);
    return t;
}

void jvmpi_thread_leave(JNIEnv *env, struct jvmpi_thread *t)
{
    jobject ref = NULL;
    lock_take(&threads.lock);
    unlink_record(t);
    t->has_ended = true;
    if (t->holders == 0)
        ref = give_back(t);
    lock_give(&threads.lock);
    jvmpi_self.thread = NULL; /* no event may be sent for the thread from now on */
    forget(env, ref);
}

JNIEnv *jvmpi_thread_env(JNIEnv *env, jthread thread)
{
    return vm_threads_jni_env(env, thread);
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

/* ---- functions of the interface */

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

/* ---- events under way */

static bool is_ordered; /* membarrier(2) orders memory */

static int membarrier(int command)
{
    return (int)syscall(SYS_membarrier, command, 0);
}

void jvmpi_thread_step_open(void)
{
    is_ordered = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
}

void jvmpi_thread_step_of(struct jvmpi_thread *t)
{
    atomic_store_explicit(&t->steps, atomic_load_explicit(&t->steps, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    if (is_ordered)
        atomic_signal_fence(memory_order_seq_cst);
    else
        atomic_thread_fence(memory_order_seq_cst);
}

struct jvmpi_thread *jvmpi_thread_step_begin(JNIEnv *env)
{
    const struct jvmpi_self *self = &jvmpi_self;
    if (self->quiet || (!self->thread && !jvmpi_thread_is_open(env)))
        return NULL;
    jvmpi_thread_step_of(self->thread);
    return self->thread;
}

/* Whether another thread is in an event. Holds the lock only for one look. */
static bool is_any_stepping(void)
{
    bool is_any = false;
    lock_take(&threads.lock);
    for (int i = 0; i < BUCKETS && !is_any; i++)
        for (const struct jvmpi_thread *t = threads.buckets[i]; t && !is_any; t = t->next)
            is_any =
                t != jvmpi_self.thread && atomic_load_explicit(&t->steps, memory_order_acquire) > 0;
    lock_give(&threads.lock);
    return is_any;
}

bool jvmpi_thread_steps_end(int polls, unsigned poll_us)
{
    bool is_any;
    if (is_ordered)
        membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
    else
        atomic_thread_fence(memory_order_seq_cst);
    while ((is_any = is_any_stepping()) && polls-- > 0)
        usleep(poll_us);
    return !is_any;
}
