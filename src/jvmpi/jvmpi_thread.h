/*
 * jvmpi_thread.h - threads as agents know them, by their JNIEnv.
 *
 * A thread has a record from its start, or from the first call in which an agent names its JNIEnv,
 * until its end. A record may be reused but is never given back to the system, so a late look at it
 * is harmless.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_numbers.h"
#include "vm/vm_step.h"

struct jvmpi_alloc_mirror;

struct jvmpi_thread {
    struct jvmpi_thread *next; /* in its bucket, or in the list of free records */
    JNIEnv *env;
    jobject ref; /* global reference to the thread; NULL: not seen yet */
    void *storage[JVMPI_AGENTS_MAX];
    /* its CPU time at the last SuspendThread, and at the one before that */
    uint64_t suspended_ns[2];
    jint state;                /* JVM TI's state, when the thread was suspended */
    uint32_t holders;          /* jvmpi_thread_hold() */
    _Atomic uint32_t steps;    /* jvmpi_thread_step_begin() */
    _Atomic bool is_suspended; /* suspended by SuspendThread */
    _Atomic bool is_told;      /* its THREAD_START was sent, or no agent wanted it */
    bool has_ended;            /* the last holder frees the record */
    struct {
        uint32_t *numbers;
        int32_t count, room;
        int period; /* the period in which the calls began */
    } calls;        /* calls that are open, for jvmpi_method.c */
    struct {
        struct vm_step at;
        uint32_t place;
        bool is_return;
        bool is_told;
    } step; /* the thread's last step, if it was a return, for jvmpi_instruction.c */
    struct {
        jobjectID last; /* the last object of which the thread has told */
        /* walks of the heap that had begun when the thread last made sure */
        uint32_t walks;
        uint32_t doubtful;              /* how many objects may have got an id by such a walk */
    } made;                             /* objects, for jvmpi_alloc.c */
    struct jvmpi_numbers_stock numbers; /* for the ids that the thread gives to objects */
    struct jvmpi_alloc_mirror *mirrors; /* used by jvmpi_alloc.c */
};

/** The record of the thread with this JNIEnv; NULL: not known. Context: any, not signal. */
struct jvmpi_thread *jvmpi_thread_find(JNIEnv *env);
/**
 * The record of the thread with this JNIEnv, which is made if there is none. NULL: no memory.
 * Context: any, not signal.
 */
struct jvmpi_thread *jvmpi_thread_enter(JNIEnv *env);
/**
 * Whether events of the calling thread may be sent: its THREAD_START was sent, its THREAD_END was
 * not.
 * Context: java.
 */
bool jvmpi_thread_is_open(JNIEnv *env);
/* Some events come so often that a shared counter of the events under way would cost as much as the
 * events themselves. So each thread notes in its own record that an event is under way, and a
 * thread that waits makes the kernel order the memory of all threads (membarrier(2)). If membarrier
 * is not available, each event orders memory itself. */
/** Begin, before the first event. Context: any. */
void jvmpi_thread_step_open(void);
/** An event begins, also inside another event: reads after this call see memory that is not older.
 * NULL: events of this thread are not sent. Context: java, for the calling thread. */
struct jvmpi_thread *jvmpi_thread_step_begin(JNIEnv *env);
/** Do the same with the record of the calling thread. Context: java. */
void jvmpi_thread_step_of(struct jvmpi_thread *t);
static inline void jvmpi_thread_step_end(struct jvmpi_thread *t)
{
    atomic_store_explicit(&t->steps, atomic_load_explicit(&t->steps, memory_order_relaxed) - 1,
                          memory_order_release);
}
/** Wait until the events of other threads that are under way have ended, at most `polls` polls.
 * Returns whether they have ended. Context: any, not signal. */
bool jvmpi_thread_steps_end(int polls, unsigned poll_us);

/** The JNIEnv of a thread; NULL: not known. Context: java. */
JNIEnv *jvmpi_thread_env(JNIEnv *env, jthread thread);

/**
 * The record of a thread. Its `ref` is valid until jvmpi_thread_let_go(), even if the thread ends
 * meanwhile. NULL: there is no such thread.
 * Context: any, not signal.
 */
struct jvmpi_thread *jvmpi_thread_hold(JNIEnv *of);
/** Let go of a record. Context: java. */
void jvmpi_thread_let_go(JNIEnv *env, struct jvmpi_thread *t);

/* The functions below are for threads that begin and end while another thread lists those that
 * began before their events were on. */
/** Note which threads end, from jvmpi_thread_list_begin() to jvmpi_thread_list_end(). Context: any,
 * not signal. */
void jvmpi_thread_list_begin(void);
void jvmpi_thread_list_end(void);
/**
 * Claim a thread: the thread with the JNIEnv `of` is `ref`, a global reference that its record
 * keeps. The first caller gets the record and sends THREAD_START; later callers get NULL. A caller
 * that lists threads also gets NULL for a thread that has ended since the list began. `is_self`:
 * the caller is this thread.
 * Context: any, not signal.
 */
struct jvmpi_thread *jvmpi_thread_claim(JNIEnv *of, jobject ref, bool is_self);
/** Close the calling thread, which ends: from now on nobody can claim it. Returns the record if the
 * thread was claimed, otherwise NULL. Context: java. */
struct jvmpi_thread *jvmpi_thread_close(JNIEnv *env);
/** Free the record that jvmpi_thread_close() has returned. Context: java. */
void jvmpi_thread_leave(JNIEnv *env, struct jvmpi_thread *t);

/* The functions of the interface with these names. Context: as the specification says. */
void jvmpi_thread_set_storage(int agent, JNIEnv *env, void *value);
void *jvmpi_thread_get_storage(int agent, JNIEnv *env);
