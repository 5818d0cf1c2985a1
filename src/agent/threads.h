/*
 * threads.h - the Java threads: serials, names, START and END records.
 *
 * A struct thread lives in JVM TI thread-local storage from the thread's start to its end. All
 * functions need the agent's lock. Context: java.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdint.h>
#include "profile/profile.h"

struct agent;
struct tick_slot;

struct thread {
    struct thread *next, **link; /* in threads.live; what points to this one */
    jobject ref;                 /* global reference to the thread object */
    uint32_t serial;             /* as in files */
    thread_id id;  /* in the model; 0 for the agent's own threads or when memory is used up */
    int is_agent;  /* one of ours: never sampled, not in the file */
    int32_t tid;   /* as the kernel numbers it; 0 unknown */
    void *jni_env; /* NULL unknown */
    uint64_t java_thread;   /* address of the VM's JavaThread; 0 unknown */
    struct tick_slot *slot; /* the cpu engine's */
    struct {
        uint64_t enter_ns, wait_ns, park_ns; /* when it began; 0: it does not */
        uint32_t row, park_row;              /* of what it wants to enter; of what parks it */
        int is_parking;                      /* in a method that will park */
        jobject waits_for;                   /* global reference; see monitor_dump.h */
    } monitor;                               /* the monitor engine's, on its own thread */
};

struct threads {
    struct thread *live;   /* all that have a record */
    struct thread *agents; /* the agent's own */
    uint32_t next_serial;
};

/** Begin. Context: java, on an attached thread. */
void threads_init(struct agent *a, JNIEnv *env);

/** The record of a thread, or NULL. Needs no lock for the calling thread's own. */
struct thread *threads_find(const struct agent *a, jthread thread);
/** The serial of a thread that has been left and still runs; else 0. */
uint32_t threads_ended_serial(const struct agent *a, jthread thread);
/**
 * The record of a live thread, made and announced if it has none yet. `self`: the caller runs on
 * that thread. Returns NULL when there is no memory or the thread is ending.
 */
struct thread *threads_enter(struct agent *a, JNIEnv *env, jthread thread, int self);
/** Say that the thread has ended, and forget it. NULL if it was not known. */
void threads_leave(struct agent *a, JNIEnv *env, jthread thread,
                   void (*before)(struct agent *, struct thread *));
/** Records for all threads that live now; `with` is called for each new one. */
void threads_enter_all(struct agent *a, JNIEnv *env, void (*with)(struct agent *, struct thread *));
/** The record of a live thread by its serial, or NULL. */
struct thread *threads_by_serial(const struct agent *a, uint32_t serial);
/** The same by its object's id in files. */
struct thread *threads_by_object(struct agent *a, uint64_t object);
/** Mark the calling thread as the agent's own. */
void threads_enter_agent(struct agent *a, jthread thread);
/** Forget all of them, without a word in the file. The VM must not name any by then. */
void threads_release(struct agent *a, JNIEnv *env);
