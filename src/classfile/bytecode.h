/*
 * bytecode.h - a Code attribute, read in place, and the instructions in it that move or refer.
 *
 * One pass marks where instructions begin, checks that each lies in the code and each target is an
 * instruction, and lists the places where an injected copy may differ from the original.
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
    BYTECODE_BEGIN = 1,    /* an instruction begins here */
    BYTECODE_HANDLER = 2,  /* an exception handler begins here */
    BYTECODE_INSIDE = 4,   /* inside an exception range, not at its first instruction */
    BYTECODE_FRAME = 8,    /* StackMapTable has a frame here; set by stackmap.h */
    BYTECODE_ISLAND = 16,  /* jumps are inserted before this; set by island.h */
    BYTECODE_MAKES = 32,   /* it leaves a new object on the stack; set by allocsite.h */
    BYTECODE_UNLOCKS = 64, /* a monitorexit before which something is inserted; set by weave.h */
};

/** A place where something is inserted or changed: entry, handlers, returns, jumps, switches. */
struct bytecode_event {
    uint32_t pc;
    uint32_t len;    /* of the instruction */
    uint8_t kind;    /* enum opcode_kind */
    uint8_t is_wide; /* it does not fit in 16 bits in the copy */
    uint16_t island; /* 1 + the index of the inserted jump that leads there, 0 without */
};

struct bytecode {
    const uint8_t *attribute; /* contents of the Code attribute */
    size_t attribute_len;
    uint16_t max_stack, max_locals;
    uint32_t len;
    const uint8_t *code;
    uint32_t handler_count;
    const uint8_t *handlers;       /* 8 bytes each: start, end, handler, catch type */
    size_t attributes_at;          /* where attributes_count stands in `attribute` */
    uint8_t *marks;                /* [len + 1] enum bytecode_mark */
    struct bytecode_event *events; /* by pc; the first has pc 0 */
    uint32_t event_count;
};

/** Memory for one method after the other; the largest decides. */
struct bytecode_room {
    uint8_t *marks;
    struct bytecode_event *events;
    uint32_t marks_cap;
};

/**
 * Read the contents of a Code attribute.
 *
 * Errors:  0; E_FORMAT: not code that a VM would take; -ENOMEM.
 * Owner:   borrows `bytes`; marks and events are of `room`, valid until its next use.
 */
int bytecode_read(struct bytecode *ret, const uint8_t *bytes, size_t len,
                  struct bytecode_room *room, struct arena *a);

/** List the events again, because FRAME, MAKES or UNLOCKS was set somewhere. Errors: as before, so
 * 0. */
int bytecode_list_events(struct bytecode *c);

/** Bytes of the instruction at `pc`, of which only `code` and `len` need be set; 0: it is none, or
 * does not lie in the code. */
uint32_t bytecode_length(const struct bytecode *c, uint32_t pc);
/** The one target of a jump (not a switch); may be outside until bytecode_read() has checked. */
int64_t bytecode_jump_target(const struct bytecode *c, const struct bytecode_event *e);
/** A switch: where its word `i` stands in the code (word 0: the default's offset). */
uint32_t bytecode_switch_words(uint32_t pc);
/** How many of a switch's words there are, and whether word `i` is an offset. */
uint32_t bytecode_switch_count(const struct bytecode *c, const struct bytecode_event *e);
bool bytecode_switch_is_offset(const struct bytecode_event *e, uint32_t i);
