/*
 * stopped_stack.h - the stack of a thread of a stopped process or a core file.
 *
 * This file adapts hs_mixed.h: a walk takes all frames at once. If frames of a virtual thread are
 * still in the heap, it takes them from there (java_chunks.h).
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct hs_memory;
struct oops;
struct regs;
struct stopped_frame;

struct stopped_stack_request {
    const struct hs_memory *memory;
    bool wants_native;       /* append native frames */
    uint64_t java_thread;    /* 0: not a Java thread */
    const struct regs *regs; /* NULL: begin at the anchor */
    struct oops *oops;       /* NULL: frames in the heap are left out */
    uint64_t virtual_object; /* the virtual thread that is mounted; 0: none */
};

/**
 * Walk a thread. Writes at most `max` frames, innermost first. Returns the number of frames.
 * *ret_cause is -1, or says why there are no Java frames (enum walk_cause).
 */
uint32_t stopped_stack_walk(const struct stopped_stack_request *request,
                            struct stopped_frame *frames, uint32_t max, bool *ret_truncated,
                            int *ret_cause);
