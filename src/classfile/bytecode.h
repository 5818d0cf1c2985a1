/*
 * bytecode.h - reads a Code attribute in place, and lists the instructions that need care when code
 * moves.
 *
 * One pass marks where instructions begin. It checks that each instruction lies in the code and
 * that each jump leads to an instruction. It also lists the places where an injected copy may
 * differ from the original.
 * Source: JVM specification, sections 4.7.3 and 6.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "classfile/opcode.h"

struct arena;

enum { BYTECODE_MAX = 65535 }; /* the longest code of a method, in bytes */

enum bytecode_mark {
    BYTECODE_BEGIN = 1,   /* an instruction begins here */
    BYTECODE_HANDLER = 2, /* an exception handler begins here */
    /* an exception range covers this place, and does not begin here */
    BYTECODE_INSIDE = 4,
    BYTECODE_FRAME = 8,   /* StackMapTable has a frame here; set by stackmap.h */
    BYTECODE_ISLAND = 16, /* an island of jumps is inserted here; set by codeplan.h */
    BYTECODE_MAKES = 32,  /* leaves a new object on the stack; set by weave.c */
    /* a monitorexit that gets a call in front of it; set by weave.h */
    BYTECODE_UNLOCKS = 64,
};

/** A place where code is inserted or changed: entry, handlers, returns, jumps, switches. */
struct bytecode_event {
    uint32_t pc;
    uint32_t len;    /* length of the instruction in bytes */
    uint8_t kind;    /* enum opcode_kind */
    uint8_t is_wide; /* the jump needs more than 16 bits in the copy */
    /* 1 + the index of the jump in an island through which it leads; 0: it leads to its target */
    uint16_t island;
};

struct bytecode {
    const uint8_t *attribute; /* the contents of the Code attribute */
    size_t attribute_len;
    uint16_t max_stack, max_locals;
    uint32_t len;
    const uint8_t *code;
    uint32_t handler_count;
    const uint8_t *handlers;       /* 8 bytes each: start, end, handler, catch type */
    size_t attributes_at;          /* offset of attributes_count in `attribute` */
    uint8_t *marks;                /* [len + 1] enum bytecode_mark */
    struct bytecode_event *events; /* sorted by pc; the first one has pc 0 */
    uint32_t event_count;
};

/** Memory that is used for one method after another; it grows to the needs of the largest. */
struct bytecode_room {
    uint8_t *marks;
    struct bytecode_event *events;
    uint32_t marks_cap;
};

/**
 * Read the contents of a Code attribute.
 *
 * Errors:  0; E_FORMAT: a VM would not accept the code; -ENOMEM.
 * Owner:   borrows `bytes`; marks and events lie in `room` and are valid until its next use.
 */
int bytecode_read(struct bytecode *ret, const uint8_t *bytes, size_t len,
                  struct bytecode_room *room, struct arena *a);

/** List the events again, after FRAME, MAKES or UNLOCKS was set somewhere. Errors: 0, because
 * bytecode_read() has accepted the code. */
int bytecode_list_events(struct bytecode *c);

/** The length of the instruction at `pc` in bytes; 0: it is no instruction, or does not lie in the
 * code. Only `code` and `len` of `c` are used. */
uint32_t bytecode_length(const struct bytecode *c, uint32_t pc);
/** The target of a jump that is no switch. The target may be outside of the code before
 * bytecode_read() has checked it. */
int64_t bytecode_jump_target(const struct bytecode *c, const struct bytecode_event *e);
/** The offset of a switch's first word in the code; that word is the offset of the default. A word
 * has 4 bytes. */
uint32_t bytecode_switch_words(uint32_t pc);
/** How many words a switch has, and whether word `i` is a jump offset. */
uint32_t bytecode_switch_count(const struct bytecode *c, const struct bytecode_event *e);
bool bytecode_switch_is_offset(const struct bytecode_event *e, uint32_t i);
