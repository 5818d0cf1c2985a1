/*
 * callstack.h - the stack of the calling thread as a trace of the model, for engines that hear of
 * something on the thread that does it.
 *
 * The walker of samples takes it, from where the thread left Java: that asks nothing of the VM and
 * makes no jmethodIDs. Where it cannot, JVM TI is asked. Taking a stack needs no lock; its names
 * are looked up with it, and the stack is left after that. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include "agent/traces.h"
#include "safe/walk.h"

struct recording;

struct callstack {
    enum walk_names names; /* whose numbers the frames have */
    uint32_t count;
    bool is_truncated, is_walked;
    struct walk_request request; /* of the walk: what it keeps until callstack_leave() */
    struct walk_frame frames[TRACES_DEPTH_MAX + OWN_CLASS_FRAMES];
    frame_id named[TRACES_DEPTH_MAX + OWN_CLASS_FRAMES]; /* callstack_name() */
};

/** One user more: the walker is made ready, where this VM has it. Needs the agent's lock. Context:
 * java. */
void callstack_open(struct agent *a);
/** One user less: nobody takes a stack for him any more. Context: as above. */
void callstack_close(void);

/**
 * Take the stack of the calling thread, `depth` frames or TRACES_DEPTH_MAX at most. Errors: 0; -1
 * no stack can be had, then it is empty. Owner: callstack_leave(), in either case. Context: java,
 * no lock needed.
 */
int callstack_take(const struct agent *a, JNIEnv *env, int depth, struct callstack *ret);
/** The stack of another thread as JVM TI says it, also of a virtual one that has no carrier. Else
 * as callstack_take(). */
int callstack_ask(const struct agent *a, jthread thread, int depth, struct callstack *ret);
/**
 * The stack of another thread as the walker sees it, from where it left Java. It may go on
 * meanwhile: then the stack is worth nothing, which the caller finds out. Errors: 0, or -(1 + enum
 * walk_cause). Needs the agent's lock, with which that thread cannot end. Context: java.
 */
int callstack_take_other(uint64_t java_thread, int depth, struct callstack *ret);
/** A stack that a handler has taken by walk_vm, with what that keeps. `frames` has room for as many
 * as a callstack. Owner: who has the request leaves the walk. Context: any. */
void callstack_copy(const struct walk_frame *frames, uint32_t count, bool is_truncated,
                    struct callstack *ret);
/** Whether there is a walker, after callstack_open(); else *ret_why_not says what it lacks (static
 * text). Context: any. */
bool callstack_can_walk(const char **ret_why_not);
/** Find its frames in the model, without those of trackers and what stands above them, and without
 * the innermost `own` of those that are left. Needs the agent's lock. Context: java. */
void callstack_name(struct agent *a, struct callstack *s, uint32_t own);
/**
 * The trace of a stack that has been named, as `r` has it: with kinds of frames or without, no
 * deeper than its depth=, of `thread` with thread=y. *ret_is_cut: there were more frames. Errors:
 * 0: no memory. Context: as above.
 */
trace_id callstack_trace(struct agent *a, const struct recording *r, const struct callstack *s,
                         thread_id thread, bool *ret_is_cut);
/** The frames are looked at no more. Context: java. */
void callstack_leave(struct callstack *s);
