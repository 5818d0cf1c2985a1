/*
 * interp_op.h - what each bytecode takes from the expression stack and puts there, and which
 * bytecode of a class file each of the VM's own forms stands for.
 * Source: JVM specification 6; HotSpot bytecodes.hpp, bytecodes.cpp, generateOopMap.cpp.
 * Context of everything here: any, not signal. Nothing here allocates.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct target;

/* Instructions that opcode.h does not name. */
enum {
    OP_LDC = 18,
    OP_LDC2_W = 20,
    OP_IALOAD = 46,
    OP_SALOAD = 53,
    OP_IASTORE = 79,
    OP_SASTORE = 86,
    OP_SWAP = 95,
    OP_IDIV = 108,
    OP_LDIV = 109,
    OP_IREM = 112,
    OP_LREM = 113,
    OP_LOOKUPSWITCH = 171,
    OP_RETURN = 177,
    OP_GETSTATIC = 178,
    OP_GETFIELD = 180,
    OP_PUTFIELD = 181,
    OP_INVOKEDYNAMIC = 186,
    OP_MONITORENTER = 194,
    OP_JSR_W = 201,
};

enum interp_op_push {
    INTERP_OP_PUSH_NONE,
    INTERP_OP_PUSH_VALUE,
    INTERP_OP_PUSH_TWO, /* a long or double */
    INTERP_OP_PUSH_REF,
};

/** In place of an effect: it depends on the operands, or on what lies on the stack. */
enum { INTERP_OP_OWN = 0xff };

/** By bytecode of a class file: how many cells it takes, times 4, and enum interp_op_push. */
extern const uint8_t interp_op_effects[OP_JSR_W + 1];

/** The bytecode of a class file that the VM's bytecode `op` stands for; 0xff: none.
 * *ret_is_object: the form of ldc that loads a reference. */
uint8_t interp_op_of(const struct target *t, uint8_t op, bool *ret_is_object);

/** Whether an exception may come from this bytecode, as the VM's analysis has it: that of returns
 * and of monitorexit is left out, since their monitors match. */
bool interp_op_can_throw(uint8_t op);
