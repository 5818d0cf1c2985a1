/*
 * codeplan.h - where everything in a method's code goes when probes are inserted.
 *
 * At one old pc the copy holds, in this order:
 *     enter (pc 0 only), island, caught (handlers only), exit (returns only) or unlock
 * (monitorexit), the instruction, made and what refers to the pc means one of the five points
 * between them; a function for each below. Behind all code stands unwind, a handler of all
 * exceptions that leave the method: what is called there, and an athrow.
 *
 * Several probes stand at each of these places, and a later probe encloses the earlier ones, as if
 * it had been woven into their result: it enters before them, exits behind them, and where an
 * exception or a new object comes from it is told first. That is: enter, caught and made stand from
 * the last probe to the first, exit from the first to the last.
 *
 * Jumps that no longer reach get their wide form. A condition has none: without frames it is turned
 * round over a goto_w; with frames, whose state behind the condition nobody knows, it goes by an
 * island: a goto_w to the same target, put where a frame is known.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "classfile/bytecode.h"

enum {
    CODEPLAN_INSERT_MAX = 16,  /* bytes of one inserted piece */
    CODEPLAN_ISLANDS_MAX = 64, /* jumps in islands, per method */
    CODEPLAN_OVER_BYTES = 3,   /* the goto over an island */
    CODEPLAN_JUMP_BYTES = 5,   /* a goto_w */
    CODEPLAN_IF_BYTES = 8,     /* a condition turned round, and a goto_w */
    CODEPLAN_THROW_BYTES = 1,  /* the athrow of unwind */
};

struct codeplan_insert {
    uint8_t bytes[CODEPLAN_INSERT_MAX];
    uint32_t len;
};

/** What is called behind an instruction that makes an object, by the kind of instruction. */
enum codeplan_made {
    CODEPLAN_MADE_ARRAY,  /* newarray, anewarray */
    CODEPLAN_MADE_ARRAYS, /* multianewarray */
    CODEPLAN_MADE_MAYBE,  /* calls */
    CODEPLAN_MADE_COUNT   /* it makes none */
};

/** What one probe inserts; len 0: nothing. */
struct codeplan_probe {
    struct codeplan_insert enter, exit, caught;
    struct codeplan_insert unlock;                    /* before BYTECODE_UNLOCKS */
    struct codeplan_insert unwind;                    /* without the athrow */
    struct codeplan_insert made[CODEPLAN_MADE_COUNT]; /* behind BYTECODE_MAKES */
};

/** One goto_w in the island before the instruction at `place` (the code's length: at its end). */
struct codeplan_jump {
    uint32_t place, target; /* old pcs */
};

struct codeplan {
    struct bytecode *code;
    const struct codeplan_probe *probes; /* [probe_count], the innermost first */
    uint32_t probe_count;
    bool has_frames;
    uint32_t enter_len, exit_len, caught_len; /* of all probes; set by codeplan_make() */
    uint32_t unlock_len, unwind_len;          /* with the athrow, if there is an unwind */
    uint32_t made_len[CODEPLAN_MADE_COUNT];
    uint32_t *at;     /* [code->len + 1] new position of what stands at each old pc */
    uint32_t new_len; /* may be more than BYTECODE_MAX only when codeplan_make() failed */
    struct codeplan_jump jumps[CODEPLAN_ISLANDS_MAX];
    uint32_t jump_count;
};

/**
 * Fill in `at`, `new_len` and the other lengths, and how each jump of code->events is written.
 *
 * Errors:  0; E_LIMIT the copy is longer than BYTECODE_MAX; E_RANGE a condition cannot reach its
 *          target. With frames, stackmap_mark() must have been called.
 */
int codeplan_make(struct codeplan *p);

/** The first of the five points: line numbers and ranges of local variables begin there. */
uint32_t codeplan_begin(const struct codeplan *p, uint32_t pc);
/** Before the island: exception ranges end there, so that they never cover one. */
uint32_t codeplan_end(const struct codeplan *p, uint32_t pc);
/** Behind the island: exception ranges and handlers begin there. */
uint32_t codeplan_start(const struct codeplan *p, uint32_t pc);
/** Where unwind begins; p->new_len if there is none. */
uint32_t codeplan_unwind(const struct codeplan *p);
/** Behind caught, before exit and unlock: where jumps lead. */
uint32_t codeplan_target(const struct codeplan *p, uint32_t pc);
/** The instruction itself: `new` of uninitialized values, type annotations. */
uint32_t codeplan_instruction(const struct codeplan *p, uint32_t pc);
/** Where the caught of probe `i` begins, at a handler. */
uint32_t codeplan_caught(const struct codeplan *p, uint32_t pc, uint32_t i);
/** Which made stands behind the instruction at `pc`, as a part of it. */
enum codeplan_made codeplan_made_at(const struct codeplan *p, uint32_t pc);
/** Where the goto_w number `i` of p->jumps stands. */
uint32_t codeplan_jump(const struct codeplan *p, uint32_t i);
/** Where the jump of event `e` leads in the copy: its target, or the island on the way. */
uint32_t codeplan_destination(const struct codeplan *p, const struct bytecode_event *e);
