/*
 * stackmap.h - a StackMapTable, moved with its code.
 *
 * Without a kept value only offsets change. With some, locals behind all others hold them, so every
 * frame must say so: frames that only differ from the one before stay short, the others are written
 * in full. A handler gets another frame behind each of its inserted calls, an island one per jump.
 * Source: JVM specification, section 4.7.4.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct arena;
struct classfile;
struct classfile_method;
struct bytecode;
struct codeplan;
struct outbuf;

/** The type of one local or of one value on the stack; long and double take two slots. */
struct stackmap_type {
    uint8_t tag;
    uint16_t data; /* constant pool index, pc of `new`, or a place in the descriptor */
};

/** Memory for one method after the other. */
struct stackmap_room {
    struct stackmap_type *types;
    size_t cap;
};

struct stackmap {
    struct classfile *file; /* Class constants may be added to its pool */
    const struct classfile_method *method;
    struct bytecode *code;
    const uint8_t *bytes; /* contents of the attribute */
    size_t len;
    const char *kept; /* "JI": what the new locals from max_locals on hold, 'I' or 'J' each */
};

/**
 * Set BYTECODE_FRAME where the frames are, and list the events again.
 *
 * Errors:  0; E_FORMAT: not frames that a VM would take; -ENOMEM.
 */
int stackmap_mark(const struct stackmap *m, struct stackmap_room *room, struct arena *a);

/**
 * Append the new contents of the attribute to `o`.
 *
 * Errors:  0; E_FORMAT as above; E_LIMIT the constant pool is full; -ENOMEM. `o` has its own.
 */
int stackmap_write(const struct stackmap *m, const struct codeplan *plan, struct outbuf *o,
                   struct stackmap_room *room, struct arena *a);
