/*
 * codeplan.h - computes the new place of everything in a method's code when probes are inserted.
 *
 * The copy has these pieces for one old pc, in this order:
 *   1. enter: only at pc 0
 *   2. island: jumps, see below
 *   3. caught: only at an exception handler
 *   4. exit (in front of a return) or unlock (in front of a monitorexit)
 *   5. the instruction
 *   6. made: after an instruction that makes an object
 *
 * Whatever refers to an old pc means one of the points between these pieces; for each point there
 * is a function below. Behind all code stands unwind, a handler for all exceptions that leave the
 * method: its calls, and an athrow. If one of these calls uses a kept value, the handler covers the
 * code behind enter only.
 *
 * Several probes have calls at each of these places. A later probe encloses the earlier ones, as if
 * it had been woven into their result: it enters before them and exits after them, and it hears
 * first of an exception or a new object. So enter, caught and made run from the last probe to the
 * first, exit from the first to the last.
 *
 * A jump that no longer reaches its target gets its wide form. A conditional jump has no wide form.
 * In a method without frames it is inverted and jumps over a goto_w. In a method with frames that
 * is not possible, because the frame behind the condition is not known. There it jumps to an
 * island: a goto_w to the same target, placed where a frame is known.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "classfile/bytecode.h"

enum {
    CODEPLAN_INSERT_MAX = 16,  /* most bytes of one inserted piece */
    CODEPLAN_ISLANDS_MAX = 64, /* most jumps in islands, per method */
    CODEPLAN_OVER_BYTES = 3,   /* the goto that jumps over an island */
    CODEPLAN_JUMP_BYTES = 5,   /* a goto_w */
    CODEPLAN_IF_BYTES = 8,     /* an inverted condition and a goto_w */
    CODEPLAN_THROW_BYTES = 1,  /* the athrow of unwind */
};

struct codeplan_insert {
    uint8_t bytes[CODEPLAN_INSERT_MAX];
    uint32_t len;
};

/** The call after an instruction that makes an object, by the kind of the instruction. */
enum codeplan_made {
    CODEPLAN_MADE_ARRAY,  /* newarray, anewarray */
    CODEPLAN_MADE_ARRAYS, /* multianewarray */
    CODEPLAN_MADE_MAYBE,  /* calls */
    CODEPLAN_MADE_COUNT   /* the instruction makes no object */
};

/** The pieces that one probe inserts. A piece with `len` 0 is empty. */
struct codeplan_probe {
    struct codeplan_insert enter, exit, caught;
    struct codeplan_insert unlock; /* in front of BYTECODE_UNLOCKS */
    struct codeplan_insert unwind; /* without the athrow */
    bool unwind_keeps; /* unwind uses the kept value, which is set at the end of enter */
    struct codeplan_insert made[CODEPLAN_MADE_COUNT]; /* after BYTECODE_MAKES */
};

/** One goto_w in the island in front of the instruction at `place`. If `place` is the length of the
 * code, the island stands at the end. */
struct codeplan_jump {
    uint32_t place, target; /* old pcs */
};

struct codeplan {
    struct bytecode *code;
    const struct codeplan_probe *probes; /* [probe_count], innermost first */
    uint32_t probe_count;
    bool has_frames;
    uint32_t enter_len, exit_len, caught_len; /* sums over all probes; set by codeplan_make() */
    uint32_t unlock_len, unwind_len; /* unwind_len includes the athrow, if there is an unwind */
    uint32_t made_len[CODEPLAN_MADE_COUNT];
    uint32_t *at; /* [code->len + 1]: the new position for each old pc */
    /* larger than BYTECODE_MAX only after codeplan_make() has failed */
    uint32_t new_len;
    struct codeplan_jump jumps[CODEPLAN_ISLANDS_MAX];
    uint32_t jump_count;
};

/**
 * Compute `at`, `new_len`, the other lengths, and the form of each jump in code->events. With
 * frames, stackmap_mark() must have been called.
 *
 * Errors:  0; E_LIMIT: the copy is longer than BYTECODE_MAX; E_RANGE: a conditional jump cannot
 *          reach its target.
 */
int codeplan_make(struct codeplan *p);

/** The first point of an old pc, in front of all pieces. Line numbers and ranges of local variables
 * begin there. */
uint32_t codeplan_begin(const struct codeplan *p, uint32_t pc);
/** The point in front of the island. Exception ranges end there, so that they never cover an
 * island. */
uint32_t codeplan_end(const struct codeplan *p, uint32_t pc);
/** The point behind the island. Exception ranges and handlers begin there. */
uint32_t codeplan_start(const struct codeplan *p, uint32_t pc);
/** Whether a call of unwind uses a kept value. */
bool codeplan_unwind_keeps(const struct codeplan *p);
/** The position where unwind begins; p->new_len if there is none. */
uint32_t codeplan_unwind(const struct codeplan *p);
/** The point behind caught, in front of exit and unlock. Jumps lead there. */
uint32_t codeplan_target(const struct codeplan *p, uint32_t pc);
/** The instruction itself: for the `new` of uninitialized values, and for type annotations. */
uint32_t codeplan_instruction(const struct codeplan *p, uint32_t pc);
/** The position of the `caught` call of probe `i` at a handler. */
uint32_t codeplan_caught(const struct codeplan *p, uint32_t pc, uint32_t i);
/** Which `made` call follows the instruction at `pc`; it counts as a part of the instruction. */
enum codeplan_made codeplan_made_at(const struct codeplan *p, uint32_t pc);
/** The position of the goto_w with index `i` in p->jumps. */
uint32_t codeplan_jump(const struct codeplan *p, uint32_t i);
/** The position to which the jump of event `e` leads in the copy: its target, or an island. */
uint32_t codeplan_destination(const struct codeplan *p, const struct bytecode_event *e);
