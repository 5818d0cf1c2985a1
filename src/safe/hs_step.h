/*
 * hs_step.h - what the steps from frame to frame have in common, in line: the link from a frame to
 * another frame, and leaving a frame of known size. For hs_frame.c and hs_compiled.c.
 * Source and context: hs_frame.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "safe/hs_cursor.h"

enum {
    /* the greatest size of a compiled frame, in words */
    HS_STEP_WORDS_MAX = 1 << 17,
    /* the greatest number of levels of inlining; C2 stops far earlier */
    HS_STEP_LEVELS_MAX = 512,
};

/* Decode a link from one frame to another. In a chunk, where frames can be moved, a link is a
 * distance in words from `base`. Source: continuationFreezeThaw.cpp
 * (relativize_interpreted_frame_metadata). */
static inline uint64_t hs_step_link(const struct hs_cursor *c, uint64_t word, uint64_t base)
{
    return c->frozen.in_chunk ? base + word * 8 : word;
}

static inline bool hs_step_is_size(int32_t words)
{
    return words >= 1 && words <= HS_STEP_WORDS_MAX;
}

/* Leave a frame of known size. It ends with the caller's frame pointer and return address. */
static inline enum hs_step hs_step_leave_sized(struct hs_cursor *c, int32_t words)
{
    uint64_t sp = c->sp + (uint64_t)(uint32_t)words * 8;
    if (!hs_step_is_size(words) || !hs_cursor_on_stack(c, sp - 8))
        return HS_STEP_FAIL;
    c->pc = mem_view_u8(c->view, sp - 8) & c->pc_mask;
    if (words >= 2)
        c->fp = hs_step_link(c, mem_view_u8(c->view, sp - 16), sp - 16);
    c->sp = sp;
    return HS_STEP_MORE;
}
