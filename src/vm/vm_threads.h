/*
 * vm_threads.h - the threads of the VM that a library knows, and what its parts keep for each.
 *
 * A thread's record is found by JVM TI's thread-local storage of the main environment, from
 * vm_threads_enter() to vm_threads_leave(); virtual threads have records like all others. A part of
 * the library that keeps something for each thread declares how many bytes that is in a row; they
 * lie behind the record, zeroed when it is made, and only that part knows what is in them.
 *
 * The library brings the lock: one and the same for whatever makes, forgets or lists records.
 * Without it a thread may look for its own record and its rows, because that is forgotten on the
 * thread itself, or by vm_threads_close(), when no event is under way any more.
 * No signal handler reads a record: what a handler needs of its thread is copied into memory that
 * is never given back, before the thread's first signal (safe/tick.h, struct tick_slot).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vm;

struct vm_thread {
    struct vm_thread *next, **link; /* vm_threads_next(); what points to this one */
    jobject ref;                    /* global reference to the thread; NULL: one of our own */
    void *jni_env;                  /* NULL unknown */
    uint64_t java_thread;           /* address of the VM's JavaThread; 0 unknown, or virtual */
    int32_t tid;                    /* as the kernel numbers it; 0 unknown */
    bool is_own;                    /* the library's own, vm_threads_enter_own() */
};

/** What one part of the library keeps for each thread. Static. */
struct vm_threads_row {
    size_t bytes;
    /** A record has been made, which nobody can find yet. May be NULL. Context: java, with the
     * lock. */
    void (*fill)(struct vm_thread *t);
    /* the rest is vm_threads.c's */
    struct vm_threads_row *next;
    size_t offset; /* 0: not added */
};

/**
 * From now on each record has room for the row; nothing happens if it has already. Errors: 0;
 * E_VM_STATE there are records without it. Context: any, with the library's lock or before it is
 * needed.
 */
int vm_threads_add_row(struct vm_threads_row *row);
/** What the row keeps for the thread, aligned for any type. Context: any. */
static inline void *vm_threads_slot(const struct vm_thread *t, const struct vm_threads_row *row)
{
    return (char *)t + row->offset;
}

/** Begin, and learn where the VM keeps what is asked for below. `vm` stays the caller's. Context:
 * java. */
void vm_threads_open(const struct vm *vm, JNIEnv *env);
/** Forget all records. Nobody asks for any: the VM's events have settled. Context: java. */
void vm_threads_close(JNIEnv *env);

/** The record of a thread, NULL: of the calling one. Returns NULL where there is none. Context:
 * java. */
struct vm_thread *vm_threads_find(jthread thread);
/**
 * The record of a live thread, made if there is none. `is_self`: the caller runs on that thread.
 * Returns NULL when there is no memory or the thread has been left. Context: java, with the lock.
 */
struct vm_thread *vm_threads_enter(JNIEnv *env, jthread thread, bool is_self, bool *ret_is_new);
/** A record for the calling thread, which is the library's own. NULL: no memory. */
struct vm_thread *vm_threads_enter_own(jthread thread);
/**
 * The thread ends: forget its record. It may run on for a while, and `mark` stays with it until it
 * is gone. Context: java, with the lock.
 */
void vm_threads_leave(JNIEnv *env, jthread thread, struct vm_thread *t, uint32_t mark);
/** The mark of a thread (NULL: the calling one) that has been left, else 0. Context: java. */
uint32_t vm_threads_mark(jthread thread);
/** The next record after `t`, or with NULL the first, of a thread that is not our own. The caller
 * holds the lock. */
struct vm_thread *vm_threads_next(const struct vm_thread *t);

/** The address of the thread's JavaThread, 0 unknown. Only platform threads have one of their own.
 * Context: java. */
uint64_t vm_threads_address(JNIEnv *env, jthread thread);
/** The thread's JNIEnv, NULL unknown; a virtual thread has none of its own. Context: java. */
void *vm_threads_jni_env(JNIEnv *env, jthread thread);
/** Where the JNIEnv lies in a JavaThread; 0 not known. Context: any. */
intptr_t vm_threads_env_offset(void);
