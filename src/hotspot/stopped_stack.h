/*
 * stopped_stack.h - the stack of a thread of a stopped process or a core file.
 *
 * Adapts hs_mixed.h: all frames at once, and where the frames of a virtual thread are still in the
 * heap, those from there (java_chunks.h).
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
    uint64_t java_thread;    /* 0: a thread that is not Java's */
    const struct regs *regs; /* NULL: from the anchor */
    struct oops *oops;       /* NULL: frames that are in the heap are left out */
    uint64_t virtual_object; /* the virtual thread that is mounted, 0 none */
};

/**
 * Walk. Writes at most `max` frames, innermost first.
 *
 * Returns the number of frames. *ret_cause: -1, or why there are no Java frames (enum walk_cause).
 */
uint32_t stopped_stack_walk(const struct stopped_stack_request *request,
                            struct stopped_frame *frames, uint32_t max, bool *ret_truncated,
                            int *ret_cause);
