/*
 * hs_calls.h - what the walker found out about call sites in compiled code, to find it out once.
 *
 * The debug data of one frame is spread over a dozen cache lines of the VM; an entry has it in one
 * to four.
 * Lock-free: entries are guarded by sequence numbers, a reader that meets a writer sees a miss. An
 * entry is good as long as the same nmethod holds the address: it starts where it did, and has the
 * same compile id. Ids are given once; but a freed nmethod's may lie on inside of another, so the
 * id alone is not enough.
 * Reads the heap's map of blocks and the compile id with guarded loads; writes its own static table
 * (512 KB, touched as used).
 * Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/hs_layout.h"
#include "safe/mem.h"

/* C2 inlines up to 15 levels, and callers of method handles beyond. */
#define HS_CALLS_LEVELS 18

/** One call site: the frame it lies in and the levels of inlining, innermost first. */
struct hs_call {
    uint64_t pc, blob;
    uint32_t compile_id;
    int32_t frame_size;
    uint8_t count, level, exact;
    int32_t bci[HS_CALLS_LEVELS];
    uint64_t method[HS_CALLS_LEVELS];
    uint32_t generation;            /* of hs_names.h: that of the names, */
    uint32_t name[HS_CALLS_LEVELS]; /* which are indices, 0 not known */
};

/** Look a return address up. 1 found and still true, 0 not. */
int hs_calls_find(struct mem_view *v, const struct hs_layout *l, uint64_t pc,
                  struct hs_call *ret_call);

/** Forget all: names have got other indices. Context: any, while nobody walks. */
void hs_calls_forget(void);

/** Keep a call site; its compile id is read here. */
void hs_calls_add(struct mem_view *v, const struct hs_layout *l, const struct hs_call *call);
