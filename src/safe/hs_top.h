/*
 * hs_top.h - the place of an interrupted Java thread: the first frame of a walk from any
 * instruction.
 *
 * The instruction may stand in a prologue, in an epilogue, in a stub without a frame, or in C code
 * that Java code called directly. Each CPU's file lists the places where the caller may be found
 * (guesses), best first. The walker tries the guesses in turn, and believes one only if the whole
 * walk then leads to the thread's first Java frame.
 * The functions read what hs_frame.h reads, and the bytes of the generated code around pc.
 * Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "safe/hs_cursor.h"
#include "safe/regs.h"

enum hs_lead {
    HS_LEAD_NONE,
    HS_LEAD_CODE,   /* compiled code at lead_pc */
    HS_LEAD_METHOD, /* method and bci are known */
    HS_LEAD_DEOPT,  /* the frames that a deoptimisation in flight is about to make */
    HS_LEAD_INTERP, /* the interpreted frame at fp; its live bcp is in lead_pc */
};

/** One guess: frames to append first, then a return address at which the walk goes on. */
struct hs_start {
    uint64_t lead_pc, method;
    uint64_t pc, sp, fp;
    int32_t bci;
    uint8_t lead, trust;
    bool in_body; /* the instruction at lead_pc neither makes nor removes a frame */
};

enum { HS_TOP_MAX = 24 };

struct hs_starts {
    struct hs_start list[HS_TOP_MAX];
    uint32_t count;
    bool may_cut; /* the finder may leave out the guesses after a likely one, */
    bool is_cut;  /* and sets this if it did */
};

struct hs_top_cpu {
    /** Find the guesses for registers whose pc lies in generated code. */
    void (*find)(const struct hs_cursor *c, const struct regs *r, struct hs_starts *starts);
    /** Find the one guess to try first when hs_calls.h knows `top`: the frame is whole, and its
     * size leads to a return address. Returns 1; or 0: `find` must be called. NULL: this CPU always
     * needs `find`. */
    int (*find_known)(const struct hs_cursor *c, const struct regs *r, const struct hs_call *top,
                      struct hs_starts *starts);
    /** Do the same as `find` for a pc in C code that runs while the thread's state is "in Java". */
    void (*find_native)(const struct hs_cursor *c, const struct regs *r, struct hs_starts *starts);
    /** Find the guesses of last resort, after all other guesses led nowhere. */
    void (*scan)(const struct hs_cursor *c, const struct regs *r, struct hs_starts *starts);
};

/** Indexed by enum hs_cpu. */
extern const struct hs_top_cpu *const hs_top_cpus[HS_CPU_COUNT];

extern const struct hs_top_cpu hs_top_x86_64;
extern const struct hs_top_cpu hs_top_aarch64;

static inline void hs_top_add(struct hs_starts *s, struct hs_start start)
{
    if (s->count < HS_TOP_MAX)
        s->list[s->count++] = start;
}

/** A guess that has no frames to append first. */
static inline struct hs_start hs_top_start(uint64_t pc, uint64_t sp, uint64_t fp,
                                           enum hs_trust trust)
{
    return (struct hs_start){.pc = pc, .sp = sp, .fp = fp, .trust = (uint8_t)trust};
}

typedef void hs_top_finder(const struct hs_cursor *c, const struct regs *r,
                           const struct hs_blob *blob, struct hs_starts *s);

/** The functions of a CPU for each kind of generated code. */
struct hs_top_kinds {
    void (*interpreted)(const struct hs_cursor *c, const struct regs *r, struct hs_starts *s);
    hs_top_finder *compiled, *adapter, *stub;
};

/** The `find` of a CPU. The function is in line so that the functions in a constant `kinds` are
 * called directly. */
static inline void hs_top_by_kind(const struct hs_top_kinds *kinds, const struct hs_cursor *c,
                                  const struct regs *r, struct hs_starts *s)
{
    struct hs_blob blob;
    if (hs_code_is_interpreter(c->layout, r->pc)) {
        kinds->interpreted(c, r, s);
        return;
    }
    if (!hs_cursor_top(c, r->pc, &blob))
        return;
    if (blob.kind == HS_BLOB_NMETHOD || blob.kind == HS_BLOB_NATIVE)
        kinds->compiled(c, r, &blob, s);
    else if (blob.kind == HS_BLOB_ADAPTER || blob.kind == HS_BLOB_VTABLE)
        kinds->adapter(c, r, &blob, s);
    else
        kinds->stub(c, r, &blob, s);
    /* between C and Java: the walk goes on at the stub's own frame */
    if (blob.kind == HS_BLOB_UPCALL)
        hs_top_add(s, hs_top_start(r->pc, r->sp, r->fp, HS_TRUST_SHIFTED));
}
