/*
 * asgst_iter.h - a walk one frame at a time, for the ASGST API.
 *
 * Adapts hs_mixed.h: hands out the levels of inlining of each physical frame, in the API's form.
 * Nothing is stored: the state is a struct of fixed size on the caller's stack (2 KB), however
 * deep the walked stack is. Context of everything here: signal. SPDX-License-Identifier: Apache-2.0
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
    ASGST_ITER_STUB = 5, /* the API calls it non-Java, too */
};

struct asgst_iter_frame {
    uint64_t method;     /* Method*, 0 none */
    uint64_t pc, sp, fp; /* 0 not known */
    int32_t bci;         /* -1 none */
    int8_t level;        /* 0 to 4, -1 not known */
    uint8_t type;
};

enum asgst_iter_result {
    ASGST_ITER_END = 0,
    ASGST_ITER_FRAME = 1,
    ASGST_ITER_BROKEN = -1, /* no legal frame */
};

/* One physical frame has this many levels at most without being decoded twice. */
enum { ASGST_ITER_LEVELS = 24 };

struct asgst_iter {
    struct hs_mixed mixed;
    bool includes_non_java;
    int8_t state; /* enum asgst_iter_result of the last call; ASGST_ITER_FRAME at the start */
    /* the levels of one physical frame */
    struct hs_mixed_frame at;
    struct walk_frame levels[ASGST_ITER_LEVELS];
    uint32_t level_next, level_stored, level_base, level_count;
    struct hs_cursor again; /* the cursor before the step that stored them */
};

/**
 * Stand before the innermost frame of a Java thread.
 *
 * `regs` NULL: begin at its anchor. `window` as in struct mem_view, NULL none. `includes_non_java`:
 * C and C++ frames and the VM's stubs, too.
 * Errors: 0; -(1 + enum walk_cause), then only asgst_iter_without_java() may follow.
 */
int asgst_iter_begin(struct asgst_iter *it, const struct hs_memory *memory, uint64_t java_thread,
                     const struct regs *regs, const void *window, bool includes_non_java);

/** As asgst_iter_begin(), from the registers of any frame: their pc is an instruction or a return
 * address. */
int asgst_iter_begin_at(struct asgst_iter *it, const struct hs_memory *memory, uint64_t java_thread,
                        const struct regs *regs, const void *window, bool includes_non_java);

/** After asgst_iter_begin() has failed with registers: the thread's C frames alone. */
void asgst_iter_without_java(struct asgst_iter *it);

/** Stand before the innermost frame of a thread that is none of Java's: C frames only. `may_read`
 * as of hs_mixed_begin_native(). */
void asgst_iter_begin_native(struct asgst_iter *it, const struct hs_memory *memory,
                             const struct regs *regs, bool may_read);

void asgst_iter_rewind(struct asgst_iter *it);

/** enum asgst_iter_result. *ret_frame is set for ASGST_ITER_FRAME only. */
int asgst_iter_next(struct asgst_iter *it, struct asgst_iter_frame *ret_frame);
