/*
 * hs_top.h - where an interrupted Java thread is: the first frame of a walk from any instruction.
 *
 * An instruction may stand in a prologue, an epilogue, a stub without a frame, or in C code that
 * Java code called directly. Each CPU's file lists the places where the caller may be found, best
 * first; the walker tries them in turn, and believes one only if the whole walk then leads to the
 * thread's first Java frame.
 * Reads what hs_frame.h reads, and the bytes of the generated code around pc.
 * Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/hs_frame.h"
#include "safe/regs.h"

enum hs_lead {
    HS_LEAD_NONE,
    HS_LEAD_CODE,   /* compiled code at lead_pc */
    HS_LEAD_METHOD, /* method and bci are known */
    HS_LEAD_DEOPT,  /* the frames that a deoptimisation is about to make */
    HS_LEAD_INTERP, /* the interpreted frame at fp, its live bcp in lead_pc */
};

/** One guess: frames to append first, then where to go on (a return address). */
struct hs_start {
    uint64_t lead_pc, method;
    uint64_t pc, sp, fp;
    int32_t bci;
    uint8_t lead, trust;
};

#define HS_TOP_MAX 24

struct hs_starts {
    struct hs_start list[HS_TOP_MAX];
    uint32_t count;
    uint8_t may_cut; /* leave out the guesses behind a likely one, */
    uint8_t is_cut;  /* and say that there are such */
};

struct hs_top_cpu {
    /** Fill the guesses for registers whose pc lies in generated code. */
    void (*find)(const struct hs_cursor *c, const struct regs *r, struct hs_starts *starts);
    /** The same for a pc in C code that runs in state "in Java". */
    void (*find_native)(const struct hs_cursor *c, const struct regs *r, struct hs_starts *starts);
    /** The last resort, when all of those led nowhere. */
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
