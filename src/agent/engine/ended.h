/*
 * ended.h - a queue of times that have ended on threads of the program, each with the thread's
 * stack and the class of an object.
 *
 * The thread takes its stack when its time ends, because only then the length is known. It never
 * waits for the agent's lock: it puts what it has into the queue, which the next holder of the lock
 * empties, and often that is the thread itself.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/engine/pending.h"
#include "profile/ids.h"
#include "safe/scope.h"

struct agent;
struct traces_stack;

enum { ENDED_BYTES_MAX = 256 };

/** A time in the queue. An engine has its own fields behind these, ENDED_BYTES_MAX in all. */
struct ended {
    uint64_t start_ns, end_ns;
    void *klass_ref; /* a global reference to the class if it has no number yet */
    class_id klass;
    thread_id thread;
    struct scope_values scopes; /* of the thread when the time ends */
    bool is_cut;                /* the stack had more frames */
    uint32_t frame_bytes;       /* the frames follow in the queue */
};

struct ended_queue {
    size_t bytes; /* of an engine's record, which begins with a struct ended */
    /** Count a record. Needs the agent's lock. */
    void (*count)(struct agent *a, const struct ended *e, struct traces_stack *stack);
    struct agent *agent; /* from engine.load on */
    struct pending pending;
};

/** Errors: 0, -ENOMEM. */
int ended_init(struct ended_queue *q, size_t room, enum lock_rank rank);
/** Drop what waits in the queue, and its memory. `env`: NULL in a thread that is not the VM's. */
void ended_done(struct ended_queue *q, JNIEnv *env);
/**
 * Put a time of the calling thread in. `object`: its class is noted; may be NULL. `skip`: the
 * innermost frames that are left out. Returns false: there was no room. Context: java, without the
 * agent's lock; the caller has room for a local reference.
 */
bool ended_put(struct ended_queue *q, JNIEnv *env, struct ended *e, jobject object, int skip);
/** Count what waits if nobody has the agent's lock: some of it, as a thread of the program must go
 * on. Context: java. */
void ended_help(struct ended_queue *q, JNIEnv *env);
/** Count all that waits. Needs the agent's lock. Context: java. */
void ended_drain(struct ended_queue *q);
