/*
 * asgst_iter.h - a walk that hands out one frame at a time, for the ASGST API.
 *
 * This file adapts hs_mixed.h: each physical frame is handed out as its levels of inlining, in the
 * form of the API. No frame is stored: the whole state is one struct of fixed size (2 KB) on the
 * caller's stack, however deep the walked stack is.
 * Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "safe/hs_mixed.h"

/** The values of the API's enum ASGST_FrameTypeId. */
enum asgst_iter_type {
    ASGST_ITER_ERROR = 0,
    ASGST_ITER_JAVA = 1,
    ASGST_ITER_INLINED = 2,
    ASGST_ITER_NATIVE = 3,
    ASGST_ITER_CPP = 4,
    ASGST_ITER_STUB = 5, /* the API, too, calls a stub non-Java */
};

struct asgst_iter_frame {
    uint64_t method;     /* Method*; 0: none */
    uint64_t pc, sp, fp; /* 0: not known */
    int32_t bci;         /* -1: none */
    int8_t level;        /* 0 to 4; -1: not known */
    uint8_t type;
};

enum asgst_iter_result {
    ASGST_ITER_END = 0,
    ASGST_ITER_FRAME = 1,
    ASGST_ITER_BROKEN = -1, /* no legal frame */
};

/* A physical frame with at most this many levels of inlining is decoded only once. */
enum { ASGST_ITER_LEVELS = 24 };

struct asgst_iter {
    struct hs_mixed mixed;
    bool includes_non_java;
    int8_t state; /* enum asgst_iter_result of the last call; ASGST_ITER_FRAME at the start */
    /* the levels of one physical frame */
    struct hs_mixed_frame at;
    struct walk_frame levels[ASGST_ITER_LEVELS];
    uint32_t level_next, level_stored, level_base, level_count;
    struct hs_cursor again; /* the cursor as it was before the step that stored the levels */
};

/**
 * Place the iterator in front of the innermost frame of a Java thread.
 *
 * If `regs` is NULL, the walk begins at the thread's anchor. `window` is the one of struct
 * mem_view, or NULL. With `includes_non_java` the iterator also hands out the frames of C and C++
 * and those of the VM's stubs.
 * Errors:  0; -(1 + enum walk_cause): then only asgst_iter_without_java() may follow.
 */
int asgst_iter_begin(struct asgst_iter *it, const struct hs_memory *memory, uint64_t java_thread,
                     const struct regs *regs, const void *window, bool includes_non_java);

/** Do the same as asgst_iter_begin(), but from the registers of any frame: the pc in `regs` is an
 * instruction or a return address. */
int asgst_iter_begin_at(struct asgst_iter *it, const struct hs_memory *memory, uint64_t java_thread,
                        const struct regs *regs, const void *window, bool includes_non_java);

/** Walk only the C frames. Call this after asgst_iter_begin() has failed with registers. */
void asgst_iter_without_java(struct asgst_iter *it);

/** Place the iterator in front of the innermost frame of a thread that is not a Java thread: the
 * walk has only C frames. `may_read` means the same as for hs_mixed_begin_native(). */
void asgst_iter_begin_native(struct asgst_iter *it, const struct hs_memory *memory,
                             const struct regs *regs, bool may_read);

void asgst_iter_rewind(struct asgst_iter *it);

/** Hand out a frame. Returns enum asgst_iter_result; ASGST_ITER_FRAME alone sets *ret_frame. */
int asgst_iter_next(struct asgst_iter *it, struct asgst_iter_frame *ret_frame);
