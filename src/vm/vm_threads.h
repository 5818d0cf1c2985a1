/*
 * vm_threads.h - the threads of the VM that a library knows, and what its parts keep for each
 * thread.
 *
 * JVM TI's thread-local storage of the main environment leads to a thread's record, from
 * vm_threads_enter() to vm_threads_leave(). Virtual threads have records, too. A part of the
 * library that keeps data for each thread declares a row with the count of bytes. The bytes lie
 * behind the record, are zeroed when the record is made, and only that part knows what they mean.
 *
 * The library brings one lock, which is held when a record is made, forgotten or listed. Without
 * the lock a thread may look for its own record and its rows: that record is forgotten on the
 * thread itself, or by vm_threads_close() when no event is under way any more. No signal handler
 * reads a record. Data that a handler needs of its thread is copied, before the thread's first
 * signal, into memory that is never freed (safe/tick.h, struct tick_slot).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vm;

struct vm_thread {
    struct vm_thread *next, **link; /* vm_threads_next(); the pointer that points to this record */
    jobject ref;                    /* global reference to the thread; NULL: a thread of our own */
    void *jni_env;                  /* NULL: unknown */
    /* address of the VM's JavaThread; 0: unknown, or a virtual thread */
    uint64_t java_thread;
    int32_t tid; /* the kernel's number of the thread; 0: unknown */
    bool is_own; /* a thread of the library, vm_threads_enter_own() */
};

/** A row: the data that one part of the library keeps for each thread. Static. */
struct vm_threads_row {
    size_t bytes;
    /** Fills the row of a new record, which no other thread can find yet. May be NULL. Context:
     * java, with the lock. */
    void (*fill)(struct vm_thread *t);
    /* The fields below are written by vm_threads.c. */
    struct vm_threads_row *next;
    size_t offset; /* 0: the row was not added */
};

/**
 * Give each record room for the row from now on. If the row was added before, nothing happens.
 * Errors:  0; E_VM_STATE: there are records without the row.
 * Context: any, with the library's lock, or before the lock is needed.
 */
int vm_threads_add_row(struct vm_threads_row *row);
/** The data of a row for a thread, aligned for any type. Context: any. */
static inline void *vm_threads_slot(const struct vm_thread *t, const struct vm_threads_row *row)
{
    return (char *)t + row->offset;
}

/** Begin, and learn the offsets that the functions below need. `vm` stays the caller's. Context:
 * java. */
void vm_threads_open(const struct vm *vm, JNIEnv *env);
/** Forget all records. The VM's events have settled, so nobody asks for a record. Context: java. */
void vm_threads_close(JNIEnv *env);

/**
 * The record of a thread; if `thread` is NULL, of the calling thread. NULL: there is no record.
 * Context: java.
 */
struct vm_thread *vm_threads_find(jthread thread);
/**
 * The record of a live thread, which is made if there is none. `is_self`: the caller runs on this
 * thread. NULL: there is no memory, or vm_threads_leave() was called for the thread.
 * Context: java, with the lock.
 */
struct vm_thread *vm_threads_enter(JNIEnv *env, jthread thread, bool is_self, bool *ret_is_new);
/** Make a record for the calling thread, which is a thread of the library. NULL: no memory. */
struct vm_thread *vm_threads_enter_own(jthread thread);
/**
 * Forget the record of a thread that ends. The thread may run on for a while; it keeps `mark` until
 * its end.
 * Context: java, with the lock.
 */
void vm_threads_leave(JNIEnv *env, jthread thread, struct vm_thread *t, uint32_t mark);
/** The mark of a thread after vm_threads_leave(), otherwise 0. If `thread` is NULL, of the calling
 * thread. Context: java. */
uint32_t vm_threads_mark(jthread thread);
/** The record behind `t`, or the first record if `t` is NULL; threads of our own are left out. The
 * caller holds the lock. */
struct vm_thread *vm_threads_next(const struct vm_thread *t);

/**
 * The address of the thread's JavaThread; 0: unknown. Only platform threads have one of their own.
 * Context: java.
 */
uint64_t vm_threads_address(JNIEnv *env, jthread thread);
/** The thread's JNIEnv; NULL: unknown. A virtual thread has none of its own. Context: java. */
void *vm_threads_jni_env(JNIEnv *env, jthread thread);
/** The offset of the JNIEnv in a JavaThread; 0: not known. Context: any. */
intptr_t vm_threads_env_offset(void);

/**
 * Start a thread of the library, a daemon thread in the system thread group, which runs
 * function(jvmti, env, argument). `priority` is that of a Java thread, 1 to 10.
 *
 * Errors:  0, and *ret_thread is a global reference to the thread, which the caller owns; -1 with
 *          no exception pending.
 * Context: java, in the live phase.
 */
int vm_threads_start(const struct vm *vm, JNIEnv *env, const char *name,
                     jvmtiStartFunction function, void *argument, jint priority,
                     jobject *ret_thread);
