/*
 * opcode.h - the shape of every instruction: its length, and its effect on control flow.
 *
 * Source: JVM specification, chapter 6.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

enum opcode_kind {
    OPCODE_PLAIN,
    OPCODE_RETURN, /* ireturn to return; not athrow */
    OPCODE_IF,     /* a conditional jump with a 16-bit offset */
    OPCODE_GOTO,   /* goto, jsr: a 16-bit offset; a wide form exists */
    OPCODE_GOTO_W, /* goto_w, jsr_w */
    OPCODE_TABLE,  /* tableswitch; length and padding depend on its position */
    OPCODE_LOOKUP,
    OPCODE_WIDE, /* length depends on the next byte */
    OPCODE_ILLEGAL,
};

enum opcode {
    OP_ACONST_NULL = 1,
    OP_ICONST_0 = 3,
    OP_LCONST_0 = 9,
    OP_BIPUSH = 16,
    OP_SIPUSH = 17,
    OP_LDC_W = 19,
    OP_ILOAD = 21,
    OP_LLOAD = 22,
    OP_ALOAD = 25,
    OP_ALOAD_0 = 42,
    OP_ISTORE = 54,
    OP_LSTORE = 55,
    OP_ASTORE = 58,
    OP_ISTORE_0 = 59, /* then the stores of each type to the locals 0 to 3 */
    OP_ASTORE_3 = 78,
    OP_DUP = 89,
    OP_IINC = 132,
    OP_IFEQ = 153,
    OP_IF_ICMPEQ = 159,
    OP_IF_ACMPEQ = 165,
    OP_IF_ACMPNE = 166,
    OP_GOTO = 167,
    OP_JSR = 168,
    OP_RET = 169,
    OP_INVOKEVIRTUAL = 182,
    OP_INVOKESPECIAL = 183,
    OP_INVOKESTATIC = 184,
    OP_NEW = 187,
    OP_NEWARRAY = 188,
    OP_ANEWARRAY = 189,
    OP_ATHROW = 191,
    OP_MONITOREXIT = 195,
    OP_WIDE = 196,
    OP_MULTIANEWARRAY = 197,
    OP_IFNULL = 198,
    OP_GOTO_W = 200,
};

/** For each opcode: the kind in the high four bits, the length in bytes in the low four. Length 0:
 * it depends on the operands. */
extern const uint8_t opcode_shapes[256];

static inline enum opcode_kind opcode_kind_of(uint8_t op)
{
    return (enum opcode_kind)(opcode_shapes[op] >> 4);
}

static inline unsigned opcode_length_of(uint8_t op)
{
    return opcode_shapes[op] & 15;
}

/** The local that the store instruction at `code` writes; -1: it is no store. */
int opcode_stores(const uint8_t *code);

/** The opposite of a conditional jump: ifne for ifeq, ifnonnull for ifnull ... */
static inline uint8_t opcode_inverse(uint8_t op)
{
    return op >= OP_IFNULL ? (uint8_t)(op ^ 1) : (uint8_t)(((op + 1) ^ 1) - 1);
}
