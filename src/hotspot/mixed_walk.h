/*
 * mixed_walk.h - the stack of a stopped thread: Java frames with the C and C++ frames between them.
 *
 * Java frames are those of walk_vm.h. Native frames come from call frame information; where that
 * ends, or a library's file is missing, they end and the walk goes on at the next Java frame, which
 * the VM's own anchors name: missing native frames never cost a Java frame.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "mem/modules.h"
#include "safe/walk.h"

struct hs_layout;
struct oops;

struct mixed_frame {
    uint64_t method; /* Method*; 0: a native frame */
    uint64_t pc;     /* native frames: where it is (the call, not the return address) */
    uint64_t sp, fp; /* where it stands: compiled frames sp, interpreted ones fp; 0 not known */
    int32_t bci;
    uint8_t kind, level; /* as struct walk_frame */
    uint8_t is_cut;      /* frames of this kind below (towards the caller) are missing */
};

struct mixed_request {
    struct mem *mem;
    const struct hs_layout *layout;
    struct modules *modules; /* NULL: native code cannot be passed */
    int wants_native;        /* append native frames */
    uint64_t java_thread;    /* 0: a thread that is not Java's */
    const struct regs *regs; /* NULL: from the anchor */
    struct oops *oops;       /* NULL: frames that are in the heap are left out */
    uint64_t virtual_object; /* the virtual thread that is mounted, 0 none */
};

/**
 * Walk. Writes at most `max` frames, innermost first. Call sites go into the table of hs_calls.h,
 * which is to be forgotten before another memory is read.
 *
 * Returns the number of frames. *ret_cause: -1, or why there are no Java frames (enum walk_cause).
 */
uint32_t mixed_walk(const struct mixed_request *request, struct mixed_frame *frames, uint32_t max,
                    int *ret_truncated, int *ret_cause);
