/*
 * frozen_threads.h - the threads whose stacks hold roots, as they were just before the pause.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

struct agent;
struct frozen_vm;

struct frozen_thread {
    /* serial HPROF_SERIAL_THREAD_UNKNOWN: the file does not name the thread */
    uint32_t serial, trace;
    jobject ref;        /* borrowed; NULL: the agent keeps no reference to the thread */
    jlong id;           /* the id that java.lang.Thread has; 0: unknown */
    jint depth;         /* of its stack, without own_frames */
    jint own_frames;    /* number of innermost frames of a tracker, which are left out */
    jmethodID *methods; /* innermost first; owned */
    /* references of the agent to it that are still to be met among the roots */
    int own_locals, own_globals;
};

struct frozen_threads {
    struct frozen_thread *rows; /* the first row is the thread with tag 1 */
    uint32_t count;
    /* the thread that asked: the agent has made some of its references; or NULL */
    struct frozen_thread *own;
    uint32_t last;     /* row of the thread to which the last root belonged */
    bool names_stacks; /* see frozen_threads_take() */
};

/**
 * List all threads, with their stacks as traces of the model, and tag them: 1, 2, ... With
 * `names_stacks` each thread has a trace of its own that names the thread, so that readers find the
 * stack of a thread. Otherwise threads with equal stacks share a trace.
 * Context: java, agent's lock held.
 */
void frozen_threads_take(struct frozen_threads *t, struct agent *a, const struct frozen_vm *v,
                         JNIEnv *env, bool names_stacks);
/** List only the calling thread, because of its references. The model is not changed. Context:
 * java. */
void frozen_threads_take_own(struct frozen_threads *t, struct agent *a, const struct frozen_vm *v,
                             JNIEnv *env);
void frozen_threads_forget(struct frozen_threads *t);

/** The thread with this id; NULL: it is not listed. The function is fast if consecutive calls ask
 * for the same thread, as the roots do. Context: gc. */
struct frozen_thread *frozen_threads_of_id(struct frozen_threads *t, jlong id);
/** The thread with this tag; NULL: the tag belongs to no thread. */
static inline struct frozen_thread *frozen_threads_tagged(const struct frozen_threads *t, jlong tag)
{
    return tag > 0 && tag <= (jlong)t->count ? &t->rows[tag - 1] : NULL;
}
/**
 * The depth of a frame in the thread's trace. Returns -1 if the trace does not have this method
 * there: a thread that ran on after its stack was taken has roots in frames that are not in its
 * trace. `t` may be NULL.
 */
jint frozen_threads_depth(const struct frozen_thread *t, jint depth, jmethodID method);
