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
    uint32_t serial, trace;      /* serial PROFILE_THREAD_UNKNOWN: the file does not name it */
    jobject ref;                 /* borrowed; NULL one of our own */
    jlong id;                    /* as java.lang.Thread has it; 0 unknown */
    jint depth;                  /* of its stack, */
    jint own_frames;             /* without so many innermost frames of a tracker */
    jmethodID *methods;          /* innermost first; owned */
    int own_locals, own_globals; /* our references to it, still to be met among the roots */
};

struct frozen_threads {
    struct frozen_thread *rows; /* that with tag 1 first */
    uint32_t count;
    struct frozen_thread *own; /* that asked: some of its references are ours; NULL */
    uint32_t last;             /* the one that roots were last found of */
    bool names_stacks;         /* see frozen_threads_take() */
};

/**
 * List all threads, with their stacks as traces of the model, and tag them: 1, 2, ...
 * `names_stacks`: each stack is a trace of its own that names the thread, by which readers find the
 * stack of a thread; else threads with equal stacks share one.
 * Context: java, agent's lock held.
 */
void frozen_threads_take(struct frozen_threads *t, struct agent *a, const struct frozen_vm *v,
                         JNIEnv *env, bool names_stacks);
/** Only the calling one, for its references; the model is left alone. Context: java. */
void frozen_threads_take_own(struct frozen_threads *t, struct agent *a, const struct frozen_vm *v,
                             JNIEnv *env);
void frozen_threads_forget(struct frozen_threads *t);

/** The thread of that id; NULL not listed. Roots come thread by thread. Context: gc. */
struct frozen_thread *frozen_threads_of_id(struct frozen_threads *t, jlong id);
/** The thread with that tag; NULL it is no thread's. */
static inline struct frozen_thread *frozen_threads_tagged(const struct frozen_threads *t, jlong tag)
{
    return tag > 0 && tag <= (jlong)t->count ? &t->rows[tag - 1] : NULL;
}
/**
 * The depth of a frame in the thread's trace; -1 the trace does not have that method there: a
 * thread that ran on between its stack and the pause has roots in frames that its trace does not
 * know. `t` may be NULL.
 */
jint frozen_threads_depth(const struct frozen_thread *t, jint depth, jmethodID method);
