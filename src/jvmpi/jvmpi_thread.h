/*
 * jvmpi_thread.h - threads as agents know them, by their JNIEnv.
 *
 * A record is there from a thread's start, or from the first time that an agent speaks of its
 * JNIEnv, to its end; it may be reused but is never given back to the system, so a late look at it
 * is harmless.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "jvmpi/jvmpi_agent_set.h"
#include "jvmpi/jvmpi_numbers.h"
#include "vm/vm_step.h"

struct jvmpi_mirror;

struct jvmpi_thread {
    struct jvmpi_thread *next; /* in its bucket, or among those that are free */
    JNIEnv *env;
    jobject ref; /* global reference to the thread; NULL: not seen so far */
    void *storage[JVMPI_AGENT_SET_MAX];
    uint64_t suspended_ns[2];  /* its CPU time at the last SuspendThread, and at the one before */
    jint state;                /* JVM TI's, when it was suspended */
    uint32_t holders;          /* jvmpi_thread_hold() */
    _Atomic uint32_t steps;    /* jvmpi_thread_step_begin() */
    _Atomic bool is_suspended; /* by SuspendThread */
    _Atomic bool is_told;      /* its THREAD_START has been, or nobody wanted it */
    bool has_ended;            /* the record is given back by its last holder */
    struct {
        uint32_t *numbers;
        int32_t count, room;
        int period; /* in which they began */
    } calls;        /* that are open, for jvmpi_method.c */
    struct {
        struct vm_step at;
        uint32_t place;
        bool is_return;
        bool is_told;
    } step; /* the thread's last one, if it was a return, for jvmpi_instruction.c */
    struct {
        jobjectID last;                 /* that it has told of */
        uint32_t walks;                 /* of the heap that had begun when it last made sure */
        uint32_t doubtful;              /* so many objects may have got an id by such a walk */
    } made;                             /* objects, for jvmpi_alloc.c */
    struct jvmpi_numbers_stock numbers; /* of the ids that it gives */
    struct jvmpi_mirror *mirrors;       /* jvmpi_mirror.c's */
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
/*
 * Events that come so often that counting those under way would cost as much as they do: each
 * thread says in its record that one is, and who waits has the kernel order the threads' memory
 * (membarrier(2)); where that is not to be had, each event does.
 */
/** Before the first event. Context: any. */
void jvmpi_thread_step_open(void);
/** An event begins, in another one or not: what is read from here on is not older. Returns NULL
 * where the thread's events are not told. Context: java, for the calling thread. */
struct jvmpi_thread *jvmpi_thread_step_begin(JNIEnv *env);
/** The same for the record of the calling thread. Context: java. */
void jvmpi_thread_step_of(struct jvmpi_thread *t);
static inline void jvmpi_thread_step_end(struct jvmpi_thread *t)
{
    atomic_store_explicit(&t->steps, atomic_load_explicit(&t->steps, memory_order_relaxed) - 1,
                          memory_order_release);
}
/** Wait until the events of other threads that began before have ended, so many polls at most.
 * Returns whether they have. Context: any, not signal. */
bool jvmpi_thread_steps_end(int polls, unsigned poll_us);

/** The JNIEnv of a thread; NULL: not known. Context: java. */
JNIEnv *jvmpi_thread_env(JNIEnv *env, jthread thread);

/**
 * The record of a thread, whose `ref` is good until jvmpi_thread_let_go(), whether or not the
 * thread ends meanwhile. NULL: there is no such thread. Context: any, not signal.
 */
struct jvmpi_thread *jvmpi_thread_hold(JNIEnv *of);
/** Context: java. */
void jvmpi_thread_let_go(JNIEnv *env, struct jvmpi_thread *t);

/* Threads begin and end, and somebody may list those that began before anybody heard of them. */
/** From here to jvmpi_thread_list_end() it is noted which threads end. Context: any, not signal. */
void jvmpi_thread_list_begin(void);
void jvmpi_thread_list_end(void);
/**
 * The thread with the JNIEnv `of` is `ref`, a global reference that its record keeps. The first who
 * says so gets the record, and tells THREAD_START; the others get NULL, as does who lists a thread
 * that has ended since the list began. `is_self`: the caller is that thread. Context: any, not
 * signal.
 */
struct jvmpi_thread *jvmpi_thread_claim(JNIEnv *of, jobject ref, bool is_self);
/** The calling thread ends. The record of one that was claimed, and from here on nobody claims it:
 * else NULL. Context: java. */
struct jvmpi_thread *jvmpi_thread_close(JNIEnv *env);
/** What jvmpi_thread_close() has returned is no thread's any more. Context: java. */
void jvmpi_thread_leave(JNIEnv *env, struct jvmpi_thread *t);

/* What the interface has under these names. Context: as the specification says. */
void jvmpi_thread_set_storage(int agent, JNIEnv *env, void *value);
void *jvmpi_thread_get_storage(int agent, JNIEnv *env);
