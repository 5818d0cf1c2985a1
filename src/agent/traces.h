/*
 * traces.h - the stack of a thread as JVM TI gives it, as a trace of the model.
 *
 * For engines that look at a thread at a known moment (an allocation, a contended monitor); samples
 * come through the ring instead.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include "agent/agent.h"
#include "safe/own_class.h"

enum { TRACES_DEPTH_MAX = 256 };

/** A stack that has been taken, and not been looked at yet: taking needs no lock. */
struct traces_stack {
    jint count, depth; /* frames that are there, and that are wanted */
    jint own;          /* innermost frames of a tracker, if they have been taken away */
    bool is_cut;       /* there were more than are wanted */
    jvmtiFrameInfo frames[TRACES_DEPTH_MAX + OWN_CLASS_FRAMES + 1];
};

/**
 * Take the stack of `thread` (NULL: the calling one), the innermost `skip` frames left out, at most
 * `depth` frames, of which there may be TRACES_DEPTH_MAX. Another thread may be in a tracker, whose
 * frames are taken beside them: then is_cut is known when those are taken away. Errors:
 * 0, or -1: then the stack is empty. Context: java, no lock needed.
 */
int traces_take(const struct agent *a, jthread thread, int skip, int depth,
                struct traces_stack *ret);
/** A stack that was taken before, of the calling thread, as its frames are kept: so many bytes, of
 * TRACES_DEPTH_MAX frames at most. Context: any. */
void traces_again(const struct agent *a, const jvmtiFrameInfo *frames, uint32_t bytes, bool is_cut,
                  struct traces_stack *ret);
/**
 * The trace of a stack, from which the frames of trackers are taken away, counted for `thread`
 * where the options want traces per thread (0: unknown). Errors: 0 when the model's memory is used
 * up. Context: java, lock held.
 */
trace_id traces_of(struct agent *a, thread_id thread, struct traces_stack *stack);
/** The same, of that thread whatever the options want. Context: as above. */
trace_id traces_of_thread(struct agent *a, thread_id thread, struct traces_stack *stack);
/** The same trace if it is there already, else 0. Context: java, lock held. */
trace_id traces_find(struct agent *a, thread_id thread, struct traces_stack *stack);
