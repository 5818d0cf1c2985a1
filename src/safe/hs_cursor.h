/*
 * hs_cursor.h - where a walk over a thread's Java frames stands, and what a place on the stack may
 * be.
 *
 * A cursor stands at a return address: `pc` is the address the frame will go on at, `sp` its stack
 * pointer then, `fp` the frame pointer register then. This file puts a cursor where the VM says
 * that frames begin, appends frames to what a walk gives, and tells whether a word is a return
 * address. Who takes the cursor from a frame to its caller is hs_frame.h, and behind that
 * hs_compiled.h and hs_chunks.h, which all stand on this file.
 *
 * Reads the thread's own stack inside the view's window, JavaThread's fields, and the code cache
 * (hs_code.h): guarded loads, so memory that is gone is a result.
 * Source: HotSpot frame.cpp, javaFrameAnchor.hpp, continuationEntry.hpp.
 * Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "safe/hs_code.h"
#include "safe/hs_memory.h"
#include "safe/mem.h"
#include "safe/walk.h"

/** How a frame was found; the weakest of a walk is what the walk is worth. In walk_frame.flags. */
enum hs_trust {
    HS_TRUST_ANCHOR,  /* the VM says so */
    HS_TRUST_EXACT,   /* registers and frame size agree with a call site */
    HS_TRUST_DECODED, /* prologue or epilogue instructions were read */
    HS_TRUST_SHIFTED, /* a word near the expected place is a return address */
    HS_TRUST_SCANNED, /* a word somewhere above is a return address */
};

enum {
    /** A bit of walk_frame.flags: `method` is an index of hs_names.h already. */
    HS_FRAME_NAMED = 0x8000,
    /** A bit of walk_frame.flags: this frame's callers lie in the heap and were not read. */
    HS_FRAME_FROZEN = 0x2000,
    /** What is left of walk_frame.flags: enum hs_trust. */
    HS_FRAME_TRUST = 0xff,
};

enum hs_step {
    HS_STEP_MORE,
    HS_STEP_END,  /* the first Java frame of the thread was passed: the walk is complete */
    HS_STEP_FAIL, /* this is no legal frame */
};

struct hs_call;
struct hs_calls;
struct hs_names_visit;
struct unwind;

/** What the next frame that is appended is, besides. */
enum hs_awaits { HS_AWAITS_NONE, HS_AWAITS_TOP, HS_AWAITS_FROZEN };

/** Where a walk is in the chunks of hs_chunks.h, and what to come back to. */
struct hs_chunk_place {
    uint64_t chunk, end; /* the object, and where its frames end */
    uint64_t from;       /* address of the reference that led here, 0 none */
    uint64_t shape[2];   /* its fields when it was entered */
    uint64_t parent;
    uint64_t safepoints;                /* how many there had been; see `watches` */
    uint64_t sp, stack_low, stack_high; /* of the thread's stack, at the barrier */
    uint32_t count;                     /* frames at the barrier */
    uint32_t chunks;                    /* how many were entered */
    bool watches;                       /* safepoints may come meanwhile */
    bool repeats;                       /* the newest frame is the one that the walk began with */
    bool is_cut;                        /* the chain could not be followed to its end */
};

/** The stack that is walked. */
struct hs_cursor_stack {
    uint64_t low, high; /* from the stack pointer to the base */
    uint64_t size;      /* of the whole stack */
};

/** The first frame of the walk: what is known of where the thread was interrupted. */
struct hs_cursor_top {
    struct hs_blob blob;  /* what holds the interrupted instruction, where that is known; else 0 */
    struct hs_call *call; /* hs_calls.h on it, if its pc is not 0; NULL: not asked for */
    uint64_t method;      /* Method* */
    int32_t bci;
};

/** Frames of virtual threads that lie in the heap (hs_chunks.h), and the way to them. */
struct hs_cursor_frozen {
    const struct hs_chunk_facts *facts;
    struct hs_chunk_place place; /* while in_chunk */
    uint64_t native_method;      /* the native method passed last: Method*, 0 none */
    bool in_chunk; /* the frames were moved to the heap: they link by distances in words */
    uint8_t barriers_passed;
    bool caller_is_unsure; /* at a barrier that may be none: callers in the heap, or none */
    uint8_t awaits;        /* enum hs_awaits */
};

struct hs_cursor {
    /* whose frames: for the whole walk */
    struct mem_view *view;
    const struct hs_layout *layout;
    struct hs_calls *calls;       /* NULL: nothing is kept about call sites */
    struct unwind *unwind;        /* NULL: C code cannot be passed */
    struct hs_names_visit *names; /* NULL: call sites are kept without their methods' names */
    uint64_t thread;              /* JavaThread */
    struct hs_cursor_stack stack;
    uint64_t pc_mask; /* hs_cursor_pc_mask() */

    struct hs_cursor_top top; /* the start */

    /* where it stands */
    uint64_t pc, sp, fp;
    struct hs_cursor_frozen frozen;

    /* what it gives */
    struct walk_frame *frames;
    uint32_t max, count; /* count may pass max: counted, not stored */
    uint8_t trust;       /* enum hs_trust of the next */
};

/** What a word on the stack is worth as a return address. */
enum hs_return {
    HS_RETURN_NO,
    HS_RETURN_MAYBE, /* into generated code, after something that may be a call */
    HS_RETURN_YES,   /* a call site with debug data, or one of the VM's known addresses */
};

/**
 * Set a cursor up for a thread of the memory that `v` reads, and the limits of its stack from the
 * VM; `sp` is its lowest live address. 1, or 0.
 */
int hs_cursor_init(struct hs_cursor *c, struct mem_view *v, const struct hs_memory *memory,
                   uint64_t thread, uint64_t sp);

/** A cursor that stands nowhere, in no thread. */
void hs_cursor_clear(struct hs_cursor *c, struct mem_view *v, const struct hs_memory *memory);

/** The bits of a return address that are one: aarch64 signs it in the upper ones. */
static inline uint64_t hs_cursor_pc_mask(const struct hs_layout *l)
{
    return l->cpu == HS_CPU_AARCH64 ? ((uint64_t)1 << 48) - 1 : UINT64_MAX;
}

static inline int hs_cursor_on_stack(const struct hs_cursor *c, uint64_t addr)
{
    return addr >= c->stack.low && addr < c->stack.high && (addr & 7) == 0;
}

/** A word of the thread's stack; 0 outside of it. */
static inline uint64_t hs_cursor_word(const struct hs_cursor *c, uint64_t addr)
{
    return hs_cursor_on_stack(c, addr) ? mem_view_u8(c->view, addr) : 0;
}

enum hs_return hs_cursor_is_return(const struct hs_cursor *c, uint64_t pc);

/** Whether `pc` is the stub through which thawed frames return to frames that are still in the
 * heap. */
bool hs_cursor_is_barrier(const struct hs_cursor *c, uint64_t pc);

/** The same where the blob that holds `pc` is known. */
bool hs_cursor_is_barrier_in(const struct hs_cursor *c, uint64_t pc, const struct hs_blob *blob);

/** The blob that holds `pc`, without a search if it is the interrupted instruction's. As
 * hs_code_find(). */
int hs_cursor_top(const struct hs_cursor *c, uint64_t pc, struct hs_blob *ret_blob);

/** What hs_chunks.h wants to know of a frame that is appended: called for native ones, and while
 * c->frozen.awaits asks. */
void hs_cursor_note(struct hs_cursor *c, uint64_t method, int32_t bci, enum walk_kind kind);

/** A frame as a walk gives it. `name`: an index to show in place of the method, 0 none. */
static inline struct walk_frame hs_cursor_frame(uint64_t method, uint32_t name, int32_t bci,
                                                enum walk_kind kind, uint8_t level, uint8_t trust)
{
    unsigned flags = trust | (name != 0 ? HS_FRAME_NAMED : 0);
    return (struct walk_frame){name != 0 ? name : method, bci, (uint8_t)kind, level,
                               (uint16_t)flags};
}

/** As hs_cursor_add(), in line, and with a name in place of the method, 0 none. */
static inline void hs_cursor_add_named(struct hs_cursor *c, uint64_t method, uint32_t name,
                                       int32_t bci, enum walk_kind kind, uint8_t level)
{
    if (c->count < c->max)
        c->frames[c->count] = hs_cursor_frame(method, name, bci, kind, level, c->trust);
    c->count++;
    if (c->frozen.awaits != HS_AWAITS_NONE || kind == WALK_KIND_NATIVE)
        hs_cursor_note(c, method, bci, kind);
}

/** Append a frame. */
void hs_cursor_add(struct hs_cursor *c, uint64_t method, int32_t bci, enum walk_kind kind,
                   uint8_t level);

/**
 * Put the cursor at the entry of the continuation that is mounted: Continuation.enterSpecial's
 * frame, at whose stack pointer HotSpot keeps the ContinuationEntry. 1, or 0: none is mounted.
 */
int hs_cursor_at_continuation(struct hs_cursor *c);

/** Put the cursor at an anchor (last Java sp, pc, fp). 1, or 0: the anchor is empty or damaged. */
int hs_cursor_at_anchor(struct hs_cursor *c, uint64_t anchor);
