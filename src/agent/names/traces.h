/*
 * traces.h - takes the stack of a thread from JVM TI and makes it a trace of the model.
 *
 * It is for engines that look at a thread at a known moment, for example at an allocation or a
 * contended monitor. Samples come through the ring instead.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include "agent/agent.h"
#include "safe/own_class.h"

enum {
    TRACES_DEPTH_MAX = 256,
    /* room for the innermost frames of a tracker, and for one frame that tells whether there are
     * more */
    TRACES_ROOM = TRACES_DEPTH_MAX + OWN_CLASS_FRAMES + 1,
};

/** A stack whose frames have not been looked up yet. To take it needs no lock. */
struct traces_stack {
    jint count, depth; /* frames in the stack, and frames that are wanted */
    jint own;          /* innermost frames of a tracker that were taken away */
    bool is_cut;       /* there were more frames than wanted */
    jvmtiFrameInfo frames[TRACES_ROOM];
};

/** How many frames a walk must take for the stacks that the options want, with those of a tracker.
 * Context: any. */
static inline uint32_t traces_walk_depth(const struct options *o)
{
    return (uint32_t)(o->depth < TRACES_DEPTH_MAX ? o->depth : TRACES_DEPTH_MAX) +
           OWN_CLASS_FRAMES - 1;
}

/**
 * Take the stack of `thread` (NULL: the calling thread) without its innermost `skip` frames: at
 * most `depth` and at most TRACES_DEPTH_MAX frames. Another thread may be in a tracker, so some
 * extra frames are taken for it; is_cut is then known only after the tracker's frames were taken
 * away.
 * Errors: 0; -1: the stack is empty. Context: java, no lock needed.
 */
int traces_take(const struct agent *a, jthread thread, int skip, int depth,
                struct traces_stack *ret);
/**
 * Restore a stack of the calling thread that was saved as `bytes` bytes of frames, TRACES_DEPTH_MAX
 * frames at most. Context: any.
 */
void traces_again(const struct agent *a, const jvmtiFrameInfo *frames, uint32_t bytes, bool is_cut,
                  struct traces_stack *ret);
/**
 * Take the frames of trackers away from the stack, and return its trace, counted for `thread` (0:
 * unknown) if the options want traces per thread.
 * Errors: 0: the model's memory is used up. Context: java, lock held.
 */
trace_id traces_of(struct agent *a, thread_id thread, struct traces_stack *stack);
/** Like traces_of(), but always counted for `thread`. Context: java, lock held. */
trace_id traces_of_thread(struct agent *a, thread_id thread, struct traces_stack *stack);
/**
 * Like traces_of(), but never adds a trace: 0 if the model does not have it. Context: java, lock
 * held.
 */
trace_id traces_find(struct agent *a, thread_id thread, struct traces_stack *stack);
