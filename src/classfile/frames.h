/*
 * frames.h - reads a StackMapTable frame by frame, with the whole state at each.
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

/** The type of one local or of one value on the stack; long and double take two slots. */
struct frames_type {
    uint8_t tag;
    uint16_t data; /* constant pool index, pc of `new`, or a place in the descriptor */
};

/** Memory for one method after the other. */
struct frames_room {
    struct frames_type *types;
    size_t cap;
};

/** The StackMapTable of a method: what is read. */
struct frames_map {
    struct classfile *file; /* Class constants may be added to its pool */
    const struct classfile_method *method;
    struct bytecode *code;
    const uint8_t *bytes; /* contents of the attribute */
    size_t len;
    const char *kept; /* "JI": what the new locals from max_locals on hold, 'I' or 'J' each */
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
    FRAMES_PARAMETER = 255,   /* ours; data: where in the descriptor its type stands */
};

/* What a frame says, by its first byte. */
enum frames_kind {
    FRAMES_SAME,
    FRAMES_SAME_1, /* the same locals, one value on the stack */
    FRAMES_OTHER,  /* locals differ from those of the frame before */
};

struct frames {
    const struct frames_map *map;
    struct rd rd;
    uint32_t left;
    uint32_t pc; /* of the present frame; UINT32_MAX before the first */
    enum frames_kind kind;
    uint32_t drop, grow; /* of FRAMES_OTHER: locals chopped or appended; both 0: a full frame */
    struct frames_type *locals, *stack; /* [max_locals], [max_stack] entries of room */
    uint32_t local_count, local_slots, stack_count;
};

/** Begin with the state at the method's entry. Errors: 0, E_FORMAT, -ENOMEM. */
int frames_init(struct frames *f, const struct frames_map *m, struct frames_room *room,
                struct arena *a);
/** Step to the next frame: 1; 0 at the end; E_FORMAT. */
int frames_next(struct frames *f);
