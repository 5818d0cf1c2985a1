/*
 * threads.h - the Java threads as files know them: serials, names, START and END records.
 *
 * A struct thread is the agent's own row in the record that the floor keeps for a thread
 * (vm/vm_threads.h); what an engine keeps for it stands in the same record (engine.h, per_thread).
 * All functions need the agent's lock. Context: java.
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
    struct vm_thread *vm; /* the record that this one is a part of */
    uint32_t serial;      /* as in files */
    bool is_daemon;
    thread_id id; /* in the model; 0 for the agent's own threads or when memory is used up */
};

struct threads {
    jfieldID java_id; /* of java.lang.Thread: the number of a thread; NULL not looked up yet */
    uint32_t next_serial;
};

/** Before the first thread is known: room for what the agent and its engines keep for each. */
void threads_prepare(void);
/** Begin. Context: java, on an attached thread. */
void threads_init(struct agent *a, JNIEnv *env);

/** The record of a thread, NULL: of the calling one, which needs no lock; or NULL. */
struct thread *threads_find(jthread thread);
/** The serial of a thread that has been left and still runs; else 0. */
uint32_t threads_ended_serial(jthread thread);
/**
 * The record of a live thread, made and announced if it has none yet. `self`: the caller runs on
 * that thread. Returns NULL when there is no memory or the thread is ending.
 */
struct thread *threads_enter(struct agent *a, JNIEnv *env, jthread thread, int self);
/** Say that the thread has ended, and forget it, after `before`; nothing if it was not known. */
void threads_leave(struct agent *a, JNIEnv *env, jthread thread,
                   void (*before)(struct agent *, struct thread *));
/** Records for all threads that live now; `with` is called for each of them. */
void threads_enter_all(struct agent *a, JNIEnv *env, void (*with)(struct agent *, struct thread *));
/** The record after `t`, NULL: the first. The agent's own are none of them. */
struct thread *threads_next(const struct thread *t);
/** The record of a live thread by its serial, or NULL. */
struct thread *threads_by_serial(uint32_t serial);
/** The same by its object's id in files. */
struct thread *threads_by_object(struct agent *a, uint64_t object);
/** Mark the calling thread as the agent's own. `jvmti` is any environment. Needs the agent's
 * lock. Context: java. */
void threads_enter_agent(struct agent *a, jvmtiEnv *jvmti, JNIEnv *env);
/** Forget all of them, without a word in the file. The VM must not name any by then. */
void threads_release(JNIEnv *env);
