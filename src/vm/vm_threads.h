/*
 * vm_threads.h - the threads of the VM that a library knows, and what its parts keep for each
 * thread.
 *
 * A thread has a record from vm_threads_enter() to vm_threads_leave(). Virtual threads have
 * records, too. A part of the library that keeps data for each thread declares a row with the count
 * of bytes. The bytes lie behind the record, are zeroed when the record is made, and only that part
 * knows what they mean.
 *
 * The library brings one lock, which is held when a record is made, forgotten, listed or looked
 * for. Without the lock a thread may look for its own record (vm_threads_here()) and its rows: that
 * record is forgotten on the thread itself, or by vm_threads_close() when no event is under way any
 * more. No signal handler
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
    /* The fields below belong to vm_threads.c. */
    bool is_waiting; /* another thread has made the record, and its thread has not come for it */
    int64_t number;  /* the thread's number in Java */
    struct vm_thread *same_chain; /* the next record of the same chain */
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

/** The record of the calling thread; NULL: there is none. Context: java, with or without the lock.
 */
struct vm_thread *vm_threads_here(void);
/** The mark of the calling thread after vm_threads_leave(), otherwise 0. Context: java. */
uint32_t vm_threads_mark_here(void);
/** The record of any thread; NULL: there is none. Context: java, with the lock. */
struct vm_thread *vm_threads_find(JNIEnv *env, jthread thread);
/** The mark of a platform thread after vm_threads_leave(), otherwise 0. It is known of the calling
 * thread and of the last 4,096 that ended. Context: java, with the lock. */
uint32_t vm_threads_mark(JNIEnv *env, jthread thread);
/**
 * The record of a live thread, which is made if there is none. `is_self`: the caller runs on this
 * thread. NULL: there is no memory, the thread is not alive, or vm_threads_leave() was called for
 * it.
 * Context: java, with the lock.
 */
struct vm_thread *vm_threads_enter(JNIEnv *env, jthread thread, bool is_self, bool *ret_is_new);
/** Make a record for the calling thread, which is a thread of the library. NULL: no memory.
 * Context: java, with the lock. */
struct vm_thread *vm_threads_enter_own(JNIEnv *env, jthread thread);
/**
 * Forget the record of the calling thread, which ends. The thread may run on for a while; it keeps
 * `mark` until its end.
 * Context: java, with the lock.
 */
void vm_threads_leave(JNIEnv *env, struct vm_thread *t, uint32_t mark);
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
 * function(jvmti, env, argument). `priority` is that of a Java thread, 1 to 10. The function may
 * not use `jvmti`, which is vm->main: the thread may begin so late that it is closed.
 *
 * Errors:  0, and *ret_thread is a global reference to the thread, which the caller owns; -1 with
 *          no exception pending.
 * Context: java, in the live phase.
 */
int vm_threads_start(const struct vm *vm, JNIEnv *env, const char *name,
                     jvmtiStartFunction function, void *argument, jint priority,
                     jobject *ret_thread);
