/*
 * opcode.c - the table of instructions: see opcode.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "classfile/opcode.h"

#define SHAPE(kind, length) (OPCODE_##kind << 4 | (length))

/* A row is: first opcode ... last opcode = kind, length. */
const uint8_t opcode_shapes[256] = {
    [0 ... 15] = SHAPE(PLAIN, 1),    /* nop, constants */
    [16] = SHAPE(PLAIN, 2),          /* bipush */
    [17] = SHAPE(PLAIN, 3),          /* sipush */
    [18] = SHAPE(PLAIN, 2),          /* ldc */
    [19 ... 20] = SHAPE(PLAIN, 3),   /* ldc_w, ldc2_w */
    [21 ... 25] = SHAPE(PLAIN, 2),   /* loads */
    [26 ... 53] = SHAPE(PLAIN, 1),   /* loads of a fixed local, of an array */
    [54 ... 58] = SHAPE(PLAIN, 2),   /* stores */
    [59 ... 131] = SHAPE(PLAIN, 1),  /* stores, stack, arithmetic */
    [132] = SHAPE(PLAIN, 3),         /* iinc */
    [133 ... 152] = SHAPE(PLAIN, 1), /* conversions, comparisons */
    [153 ... 166] = SHAPE(IF, 3),    /* ifeq to if_acmpne */
    [167 ... 168] = SHAPE(GOTO, 3),  /* goto, jsr */
    [169] = SHAPE(PLAIN, 2),         /* ret */
    [170] = SHAPE(TABLE, 0),
    [171] = SHAPE(LOOKUP, 0),
    [172 ... 177] = SHAPE(RETURN, 1),
    [178 ... 184] = SHAPE(PLAIN, 3), /* fields, invokes */
    [185 ... 186] = SHAPE(PLAIN, 5), /* invokeinterface, invokedynamic */
    [187] = SHAPE(PLAIN, 3),         /* new */
    [188] = SHAPE(PLAIN, 2),         /* newarray */
    [189] = SHAPE(PLAIN, 3),         /* anewarray */
    [190 ... 191] = SHAPE(PLAIN, 1), /* arraylength, athrow */
    [192 ... 193] = SHAPE(PLAIN, 3), /* checkcast, instanceof */
    [194 ... 195] = SHAPE(PLAIN, 1), /* monitors */
    [196] = SHAPE(WIDE, 0),
    [197] = SHAPE(PLAIN, 4),          /* multianewarray */
    [198 ... 199] = SHAPE(IF, 3),     /* ifnull, ifnonnull */
    [200 ... 201] = SHAPE(GOTO_W, 5), /* goto_w, jsr_w */
    [202 ... 255] = SHAPE(ILLEGAL, 0),
};

int opcode_stores(const uint8_t *code)
{
    enum { FIXED_LOCALS = 4 };
    if (code[0] >= OP_ISTORE_0 && code[0] <= OP_ASTORE_3)
        return (code[0] - OP_ISTORE_0) % FIXED_LOCALS;
    if (code[0] >= OP_ISTORE && code[0] <= OP_ASTORE)
        return code[1];
    if (code[0] == OP_WIDE && code[1] >= OP_ISTORE && code[1] <= OP_ASTORE)
        return code[2] << 8 | code[3];
    return -1;
}
