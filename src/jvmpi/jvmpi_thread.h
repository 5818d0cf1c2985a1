/*
 * jvmpi_thread.h - threads as agents know them, by their JNIEnv.
 *
 * A record is there from a thread's start, or from the first time that an agent speaks of its
 * JNIEnv, to its end; it may be reused but is never given back, so a late look at it is harmless.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "jvmpi/jvmpi_send.h"

struct jvmpi_thread {
    struct jvmpi_thread *next; /* in its bucket, or among those that are free */
    JNIEnv *env;
    jobject ref; /* global reference to the thread; NULL: not seen so far */
    void *storage[JVMPI_SEND_AGENTS];
    bool is_suspended;        /* by SuspendThread */
    uint64_t suspended_ns[2]; /* its CPU time at the last SuspendThread, and at the one before */
    jint state;               /* JVM TI's, when it was suspended */
    _Atomic bool is_told;     /* its THREAD_START has been, or nobody wanted it */
};

/** The record of the thread with this JNIEnv, NULL: not known. Context: any, not signal. */
struct jvmpi_thread *jvmpi_thread_find(JNIEnv *env);
/** The same, made if there is none. NULL: no memory. */
struct jvmpi_thread *jvmpi_thread_enter(JNIEnv *env);
/**
 * Whether events of the calling thread may be told: its THREAD_START has been, its THREAD_END has
 * not. Context: java.
 */
bool jvmpi_thread_is_open(JNIEnv *env);
/** The JNIEnv of a thread; NULL: not known. Context: java. */
JNIEnv *jvmpi_thread_env(JNIEnv *env, jthread thread);

/** The thread of the record is `ref`, a global reference that the record keeps if it had none.
 * Returns whether it had none. Context: any, not signal. */
bool jvmpi_thread_claim(struct jvmpi_thread *t, jobject ref);
/** The thread has ended. Context: as above. */
void jvmpi_thread_leave(struct jvmpi_thread *t);

/* What the interface has under these names. Context: as the specification says. */
void jvmpi_thread_set_storage(int agent, JNIEnv *env, void *value);
void *jvmpi_thread_get_storage(int agent, JNIEnv *env);
