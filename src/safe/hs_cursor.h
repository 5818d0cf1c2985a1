/*
 * hs_cursor.h - the place at which a walk over a thread's Java frames stands, and what a word on
 * the stack may be.
 *
 * A cursor stands at a return address: `pc` is the address at which the frame will go on; `sp` and
 * `fp` are its stack pointer and frame pointer register at that moment. This file puts a cursor
 * where the VM says that frames begin, appends frames to the result of a walk, and tells whether a
 * word is a return address. hs_frame.h takes the cursor from a frame to its caller; it uses
 * hs_compiled.h and hs_chunks.h. All three files stand on this one.
 *
 * The functions read the thread's own stack inside the view's window, fields of the JavaThread, and
 * the code cache (hs_code.h). Loads are guarded: memory that is gone is a result, not a fault.
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

/** How a frame was found, in walk_frame.flags. A walk is worth as much as its weakest frame. */
enum hs_trust {
    HS_TRUST_ANCHOR,  /* the VM says where the frame is */
    HS_TRUST_EXACT,   /* registers and frame size agree with a call site */
    HS_TRUST_DECODED, /* prologue or epilogue instructions were read */
    HS_TRUST_SHIFTED, /* a word near the expected place is a return address */
    HS_TRUST_SCANNED, /* a word somewhere above is a return address */
};

enum {
    /** A bit of walk_frame.flags: `method` is an index of hs_names.h already. */
    HS_FRAME_NAMED = 0x8000,
    /** A bit of walk_frame.flags: the callers of this frame lie in the heap and were not read. */
    HS_FRAME_FROZEN = 0x2000,
    /** The bits of walk_frame.flags that hold enum hs_trust. */
    HS_FRAME_TRUST = 0xff,
};

enum hs_step {
    HS_STEP_MORE,
    HS_STEP_END,  /* the first Java frame of the thread was passed: the walk is complete */
    HS_STEP_FAIL, /* there is no legal frame here */
};

struct hs_call;
struct hs_calls;
struct hs_names_visit;
struct unwind;

/** The special meaning of the next appended frame: it is the first frame of the walk (TOP), or the
 * newest frame of the first chunk (FROZEN). */
enum hs_awaits { HS_AWAITS_NONE, HS_AWAITS_TOP, HS_AWAITS_FROZEN };

/** The place of a walk in the chunks of hs_chunks.h, and what is needed to come back. */
struct hs_chunk_place {
    uint64_t chunk, end; /* the object, and the end of its frames */
    uint64_t from;       /* address of the reference that led to the chunk; 0: none */
    uint64_t shape[2];   /* fields of the chunk when it was entered */
    uint64_t parent;
    uint64_t safepoints; /* safepoint counter when the barrier was reached; see `watches` */
    uint64_t sp, stack_low, stack_high; /* sp and limits of the thread's stack, at the barrier */
    uint32_t count;                     /* frames at the barrier */
    uint32_t chunks;                    /* chunks that were entered */
    bool watches;                       /* safepoints may begin or end during the walk */
    bool repeats; /* the newest frame is the frame with which the walk began */
    bool is_cut;  /* the chain could not be followed to its end */
};

/** The limits of the stack that is walked. */
struct hs_cursor_stack {
    uint64_t low, high; /* from the stack pointer to the base */
    uint64_t size;      /* bytes of the whole stack */
};

/** The first frame of the walk: what is known about the place where the thread was interrupted. */
struct hs_cursor_top {
    struct hs_blob blob;  /* the blob of the interrupted instruction; all 0: not known */
    struct hs_call *call; /* its entry of hs_calls.h, if call->pc is not 0; NULL: not wanted */
    uint64_t method;      /* Method* */
    int32_t bci;
};

/** Frames of a virtual thread that lie in the heap (hs_chunks.h), and the way to them. */
struct hs_cursor_frozen {
    const struct hs_chunk_facts *facts;
    struct hs_chunk_place place; /* valid while in_chunk */
    uint64_t native_method;      /* Method* of the native method passed last; 0: none */
    bool in_chunk; /* the cursor is in the heap, where frames link by distances in words */
    uint8_t barriers_passed;
    bool caller_is_unsure; /* the barrier may be none: callers in the heap, or no callers */
    uint8_t awaits;        /* enum hs_awaits */
};

struct hs_cursor {
    /* constant for the whole walk */
    struct mem_view *view;
    const struct hs_layout *layout;
    struct hs_calls *calls;       /* NULL: nothing is kept about call sites */
    struct unwind *unwind;        /* NULL: frames of C code cannot be passed */
    struct hs_names_visit *names; /* NULL: call sites are kept without the names of their methods */
    uint64_t thread;              /* JavaThread */
    struct hs_cursor_stack stack;
    uint64_t pc_mask; /* hs_cursor_pc_mask() */

    struct hs_cursor_top top; /* where the walk began */

    /* where the cursor stands */
    uint64_t pc, sp, fp;
    struct hs_cursor_frozen frozen;

    /* the result */
    struct walk_frame *frames;
    uint32_t max, count; /* frames beyond max are counted, not stored */
    uint8_t trust;       /* enum hs_trust of the next frame */
};

/** Whether a word on the stack is a return address. */
enum hs_return {
    HS_RETURN_NO,
    HS_RETURN_MAYBE, /* it points into generated code, behind bytes that may be a call */
    HS_RETURN_YES,   /* it is a call site with debug data, or a known address of the VM */
};

/**
 * Prepare a cursor for a thread of the memory that `v` reads. The VM gives the limits of the
 * thread's stack; `sp` is the lowest live address of the stack. Returns 1, or 0 if the stack cannot
 * be read or does not hold `sp`.
 */
int hs_cursor_init(struct hs_cursor *c, struct mem_view *v, const struct hs_memory *memory,
                   uint64_t thread, uint64_t sp);

/** Prepare a cursor that has no place and no thread. */
void hs_cursor_clear(struct hs_cursor *c, struct mem_view *v, const struct hs_memory *memory);

/** The address bits of a return address: aarch64 keeps a signature in the upper bits. */
static inline uint64_t hs_cursor_pc_mask(const struct hs_layout *l)
{
    return l->cpu == HS_CPU_AARCH64 ? ((uint64_t)1 << 48) - 1 : UINT64_MAX;
}

static inline int hs_cursor_on_stack(const struct hs_cursor *c, uint64_t addr)
{
    return addr >= c->stack.low && addr < c->stack.high && (addr & 7) == 0;
}

/** A word of the thread's stack; 0 if `addr` lies outside of the stack. */
static inline uint64_t hs_cursor_word(const struct hs_cursor *c, uint64_t addr)
{
    return hs_cursor_on_stack(c, addr) ? mem_view_u8(c->view, addr) : 0;
}

enum hs_return hs_cursor_is_return(const struct hs_cursor *c, uint64_t pc);

/** Whether `pc` is the return barrier: the stub through which frames on the stack return to callers
 * that are still in the heap. */
bool hs_cursor_is_barrier(const struct hs_cursor *c, uint64_t pc);

/** hs_cursor_is_barrier() for callers that know the blob that holds `pc`. */
bool hs_cursor_is_barrier_in(const struct hs_cursor *c, uint64_t pc, const struct hs_blob *blob);

/** Do the same as hs_code_find(), but without a search if the blob of the interrupted instruction
 * holds `pc`. */
int hs_cursor_top(const struct hs_cursor *c, uint64_t pc, struct hs_blob *ret_blob);

/** Keep what hs_chunks.h must know about an appended frame. Called for native frames, and while
 * c->frozen.awaits is set. */
void hs_cursor_note(struct hs_cursor *c, uint64_t method, int32_t bci, enum walk_kind kind);

/** A frame in the form that a walk gives. `name` is an index that replaces the method; 0: none. */
static inline struct walk_frame hs_cursor_frame(uint64_t method, uint32_t name, int32_t bci,
                                                enum walk_kind kind, uint8_t level, uint8_t trust)
{
    unsigned flags = trust | (name != 0 ? HS_FRAME_NAMED : 0);
    return (struct walk_frame){name != 0 ? name : method, bci, (uint8_t)kind, level,
                               (uint16_t)flags};
}

/** Do the same as hs_cursor_add(), in line, and with a name that replaces the method; 0: none. */
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
 * Put the cursor at the entry of the continuation that is mounted. The entry is the frame of
 * Continuation.enterSpecial, at whose stack pointer HotSpot keeps the ContinuationEntry. Returns 1,
 * or 0 if no continuation is mounted.
 */
int hs_cursor_at_continuation(struct hs_cursor *c);

/** Put the cursor at an anchor (last Java sp, pc, fp). Returns 0 if it is empty or damaged. */
int hs_cursor_at_anchor(struct hs_cursor *c, uint64_t anchor);
