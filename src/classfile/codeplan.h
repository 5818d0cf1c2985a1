/*
 * codeplan.h - where everything in a method's code goes when probes are inserted.
 *
 * At one old pc the copy holds, in this order:
 *     enter (pc 0 only), island, caught (handlers only), exit (returns only), the instruction, made
 * and what refers to the pc means one of the five points between them; a function for each below.
 * Jumps that no longer reach get their wide form. A condition has none: without frames it is turned
 * round over a goto_w; with frames, whose state behind the condition nobody knows, it goes by an
 * island: a goto_w to the same target, put where a frame is known.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "classfile/bytecode.h"

enum {
    CODEPLAN_INSERT_MAX = 16,  /* bytes of one inserted piece */
    CODEPLAN_ISLANDS_MAX = 64, /* jumps in islands, per method */
    CODEPLAN_OVER_BYTES = 3,   /* the goto over an island */
    CODEPLAN_JUMP_BYTES = 5,   /* a goto_w */
    CODEPLAN_IF_BYTES = 8,     /* a condition turned round, and a goto_w */
};

struct codeplan_insert {
    uint8_t bytes[CODEPLAN_INSERT_MAX];
    uint32_t len;
};

/** One goto_w in the island before the instruction at `place` (the code's length: at its end). */
struct codeplan_jump {
    uint32_t place, target; /* old pcs */
};

/** What is called behind an instruction that makes an object, by the kind of instruction. */
enum codeplan_made {
    CODEPLAN_MADE_ARRAY,  /* newarray, anewarray */
    CODEPLAN_MADE_ARRAYS, /* multianewarray */
    CODEPLAN_MADE_MAYBE,  /* calls */
    CODEPLAN_MADE_COUNT
};

struct codeplan {
    struct bytecode *code;
    struct codeplan_insert enter, exit, caught;       /* len 0: none */
    struct codeplan_insert made[CODEPLAN_MADE_COUNT]; /* behind BYTECODE_MAKES */
    int has_frames;
    uint32_t *at;     /* [code->len + 1] new position of what stands at each old pc */
    uint32_t new_len; /* may be more than BYTECODE_MAX only when codeplan_make() failed */
    struct codeplan_jump jumps[CODEPLAN_ISLANDS_MAX];
    uint32_t jump_count;
};

/**
 * Fill in `at` and `new_len`, and how each jump of code->events is written.
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
/** Behind caught, before exit: where jumps lead. */
uint32_t codeplan_target(const struct codeplan *p, uint32_t pc);
/** The instruction itself: `new` of uninitialized values, type annotations. */
uint32_t codeplan_instruction(const struct codeplan *p, uint32_t pc);
/** What stands behind the instruction at `pc`, as a part of it. */
const struct codeplan_insert *codeplan_behind(const struct codeplan *p, uint32_t pc);
/** Where the goto_w number `i` of p->jumps stands. */
uint32_t codeplan_jump(const struct codeplan *p, uint32_t i);
/** Where the jump of event `e` leads in the copy: its target, or the island on the way. */
uint32_t codeplan_destination(const struct codeplan *p, const struct bytecode_event *e);
