/*
 * stopped_stack.h - the frames of a thread of a stopped process or a core file.
 *
 * This file adapts hs_mixed.h: a walk takes all frames at once. The frames of a virtual thread that
 * is not mounted lie in the heap, where the VM copied them when it unmounted the thread: a chain of
 * jdk.internal.vm.StackChunk objects (safe/hs_chunks.h says how they are read). If frames of a
 * mounted virtual thread are still in the heap, a walk takes them from there.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "safe/walk.h"

struct hs_memory;
struct oops;
struct regs;

/** One frame. */
struct stopped_frame {
    uint64_t method; /* Method*; 0: a native frame */
    uint64_t pc;     /* of a native frame: an address in the call, not the return address */
    uint64_t sp, fp; /* of a compiled frame sp, of an interpreted frame fp; 0: not known */
    int32_t bci;
    uint8_t kind, level; /* the same as in struct walk_frame */
    bool is_cut;         /* frames of this kind are missing below (towards the caller) */
};

struct stopped_stack_request {
    const struct hs_memory *memory;
    bool wants_native;       /* append native frames */
    uint64_t java_thread;    /* 0: not a Java thread */
    const struct regs *regs; /* NULL: begin at the anchor */
    bool is_past;            /* `regs` and the stack are copies: hs_mixed_begin_past() */
    struct oops *oops;       /* NULL: frames in the heap are left out */
    uint64_t virtual_object; /* the virtual thread that is mounted; 0: none */
};

/**
 * Walk a thread. Writes at most `max` frames, innermost first. Returns the number of frames.
 * *ret_cause is -1, or says why there are no Java frames (enum walk_cause); with `is_past` it is
 * WALK_BROKEN if the walk broke off, too.
 */
uint32_t stopped_stack_walk(const struct stopped_stack_request *request,
                            struct stopped_frame *frames, uint32_t max, bool *ret_truncated,
                            int *ret_cause);

/**
 * Read the frames of `continuation` (jdk.internal.vm.Continuation) that are in the heap, innermost
 * first. Writes at most `max` frames; returns how many there are, as far as they could be followed.
 * If they could not be followed to the end, *ret_cut is true, and is_cut of the last frame, too.
 */
uint32_t stopped_stack_frozen(struct oops *o, uint64_t continuation, struct stopped_frame *frames,
                              uint32_t max, bool *ret_cut);

/** Read all the memory that stopped_stack_frozen() reads of `continuation`, without a result. This
 * puts the memory into a copy, in which the frames are looked for later. The memory of code and
 * methods is not read. */
void stopped_stack_touch(struct oops *o, uint64_t continuation);
