/*
 * threads.h - Java threads as the files show them: serial numbers, names, START and END records.
 *
 * vm/vm_threads.h keeps one record for each thread. A struct thread is the agent's part of this
 * record; engines keep their parts in the same record (engine.h, per_thread). All functions need
 * the agent's lock. Context: java.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include "profile/profile.h"
#include "vm/vm_threads.h"

struct agent;

struct thread {
    struct vm_thread *vm; /* the record that contains this struct */
    uint32_t serial;      /* the number in files */
    bool is_daemon;
    thread_id id; /* in the model; 0 for the agent's own threads or when memory is used up */
};

struct threads {
    /* the field of java.lang.Thread with the thread's number; NULL: not looked up yet */
    jfieldID java_id;
    uint32_t next_serial;
};

/** Reserve room for what the agent keeps for each thread; call it before any thread is known. */
void threads_prepare(void);
/** Begin. Context: java, on an attached thread. */
void threads_init(struct agent *a, JNIEnv *env);

/** The record of the calling thread, or NULL. No lock is needed. */
struct thread *threads_here(void);
/** The record of a thread, or NULL. */
struct thread *threads_find(JNIEnv *env, jthread thread);
/** The serial of the calling thread if threads_leave() has forgotten it; otherwise 0. No lock is
 * needed. */
uint32_t threads_ended_here(void);
/** The serial of a thread that threads_leave() has forgotten but that still runs; otherwise 0. */
uint32_t threads_ended_serial(JNIEnv *env, jthread thread);
/**
 * The record of a live thread. If there is none, it is made and announced. `self`: the caller runs
 * on that thread. Returns NULL if there is no memory or the thread is ending.
 */
struct thread *threads_enter(struct agent *a, JNIEnv *env, jthread thread, int self);
/**
 * The calling thread ends: call `before`, announce the end, and forget the thread. Does nothing for
 * an unknown thread.
 */
void threads_leave(struct agent *a, JNIEnv *env, void (*before)(struct agent *, struct thread *));
/** Make records for all threads that live now; call `with` for each of them. */
void threads_enter_all(struct agent *a, JNIEnv *env, void (*with)(struct agent *, struct thread *));
/** The record after `t`; NULL: the first one. The agent's own threads are left out. */
struct thread *threads_next(const struct thread *t);
/** The record of a live thread by its serial, or NULL. */
struct thread *threads_by_serial(uint32_t serial);
/** The record of a live thread by the id of its object in files, or NULL. */
struct thread *threads_by_object(struct agent *a, uint64_t object);
/** Mark the calling thread as the agent's own: the first call of each thread of the agent. Does
 * nothing if the agent has been released since the thread was started. Context: java, the agent's
 * lock not held. */
void threads_begin_agent(struct agent *a, JNIEnv *env);
/** For tests: threads that are started from now on begin so much later. Context: any. */
void threads_begin_late(long ms);
/** Forget all threads, without END records. By then the VM must not report threads to the agent. */
void threads_release(JNIEnv *env);
