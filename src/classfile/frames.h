/*
 * frames.h - reads a StackMapTable frame by frame; each frame gives the whole state.
 *
 * Source: JVM specification, section 4.7.4.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/rd.h"

struct arena;
struct bytecode;
struct classfile;
struct classfile_method;

/** The type of one local or of one value on the stack. A long or double takes two slots. */
struct frames_type {
    uint8_t tag;
    /* constant pool index, pc of a `new`, or offset in the descriptor; see enum frames_tag */
    uint16_t data;
};

/** Memory that is used for one method after another. */
struct frames_room {
    struct frames_type *types;
    size_t cap;
};

/** The StackMapTable of a method, and what is needed to read it. */
struct frames_map {
    struct classfile *file; /* Class constants may be added to its pool */
    const struct classfile_method *method;
    struct bytecode *code;
    const uint8_t *bytes; /* contents of the attribute */
    size_t len;
    /* one letter, 'I' or 'J', for each new local from max_locals on: "JI" is a long and an int */
    const char *kept;
};

enum frames_tag {
    FRAMES_TOP = 0,
    FRAMES_INTEGER = 1,
    FRAMES_FLOAT = 2,
    FRAMES_DOUBLE = 3,
    FRAMES_LONG = 4,
    FRAMES_UNINITIALIZED_THIS = 6,
    FRAMES_OBJECT = 7,        /* data: constant pool index */
    FRAMES_UNINITIALIZED = 8, /* data: pc of the `new` */
    FRAMES_PARAMETER = 255,   /* private to this code; data: offset of the type in the descriptor */
};

/* The kind of a frame, by its first byte. */
enum frames_kind {
    FRAMES_SAME,
    /* the same locals as in the frame before, one value on the stack */
    FRAMES_SAME_1,
    /* locals differ from those of the frame before */
    FRAMES_OTHER,
};

struct frames {
    const struct frames_map *map;
    struct rd rd;
    uint32_t left;
    uint32_t pc; /* of the current frame; UINT32_MAX before the first one */
    enum frames_kind kind;
    /* for FRAMES_OTHER: number of locals chopped or appended; both 0: a full frame */
    uint32_t drop, grow;
    struct frames_type *locals, *stack; /* arrays of max_locals and max_stack entries */
    uint32_t local_count, local_slots, stack_count;
};

/** Begin with the state at the entry of the method. Errors: 0, E_FORMAT, -ENOMEM. */
int frames_init(struct frames *f, const struct frames_map *m, struct frames_room *room,
                struct arena *a);
/** Step to the next frame. Returns 1; 0 at the end; E_FORMAT. */
int frames_next(struct frames *f);
