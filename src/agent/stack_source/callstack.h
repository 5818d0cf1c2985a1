/*
 * callstack.h - the stack of the calling thread as a trace of the model, for engines that get an
 * event on the thread that causes it.
 *
 * The stack is taken by the walker of samples, from where the thread left Java. This asks nothing
 * of the VM and makes no jmethodIDs. If the walker cannot take the stack, JVM TI is asked. Taking a
 * stack needs no lock; looking up its names needs the agent's lock. After that the caller leaves
 * the stack with callstack_leave().
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include "agent/names/traces.h"
#include "safe/walk.h"

struct recording;

struct callstack {
    enum walk_names names; /* tells what the method numbers of the frames are */
    uint32_t count;
    bool is_truncated, is_walked;
    bool is_lost;                /* set by callstack_name(): the model had no memory for a frame */
    struct walk_request request; /* of the walk, which keeps data in it until callstack_leave() */
    struct walk_frame frames[TRACES_DEPTH_MAX + OWN_CLASS_FRAMES];
    frame_id named[TRACES_DEPTH_MAX + OWN_CLASS_FRAMES]; /* set by callstack_name() */
};

/**
 * Add a user: prepare the walker, if it works in this VM. Needs the agent's lock. Context: java.
 */
void callstack_open(struct agent *a);
/** Remove a user, for whom no stack is taken any more. Context: java, lock not held. */
void callstack_close(void);

/**
 * Take the stack of the calling thread, at most `depth` and at most TRACES_DEPTH_MAX frames.
 * Errors: 0; -1: no stack can be taken, and *ret is empty.
 * Owner: callstack_leave(), also after an error. Context: java, no lock needed.
 */
int callstack_take(const struct agent *a, JNIEnv *env, int depth, struct callstack *ret);
/**
 * Take the stack of another thread from JVM TI; it may be a virtual thread without a carrier.
 * Otherwise like callstack_take().
 */
int callstack_ask(const struct agent *a, jthread thread, int depth, struct callstack *ret);
/**
 * Take the stack of another thread with the walker, from where that thread left Java. If the thread
 * goes on meanwhile, the stack is worthless; the caller has to find this out.
 * Errors: 0, or -(1 + enum walk_cause). Needs the agent's lock, during which that thread cannot
 * end. Context: java.
 */
int callstack_take_other(uint64_t java_thread, int depth, struct callstack *ret);
/**
 * Make a callstack of a stack that a handler or a hook has taken with walk_vm or walk_native.
 * `frames` has at most as many frames as a callstack. Owner: the owner of the walk's request leaves
 * the walk. Context: any.
 */
void callstack_copy(const struct walk_frame *frames, uint32_t count, bool is_truncated,
                    struct callstack *ret);
/**
 * Whether the walker works, after callstack_open(). If not, *ret_why_not says what is missing
 * (static text). Context: any.
 */
bool callstack_can_walk(const char **ret_why_not);
/**
 * Look up the frames in the model. Frames of trackers and the frames above them are removed, and
 * then the `own` innermost frames. Needs the agent's lock. Context: java.
 */
void callstack_name(struct agent *a, struct callstack *s, uint32_t own);
/**
 * The trace of a named stack for `r`: with or without kinds of frames, no deeper than its depth=,
 * and of `thread` if thread=y. *ret_is_cut: there were more frames.
 * Errors: 0: no memory. Needs the agent's lock. Context: java.
 */
trace_id callstack_trace(struct agent *a, const struct recording *r, const struct callstack *s,
                         thread_id thread, bool *ret_is_cut);
/** The frames are not used any more. Context: java. */
void callstack_leave(struct callstack *s);
