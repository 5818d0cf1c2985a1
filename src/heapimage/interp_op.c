/*
 * interp_op.c - see interp_op.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapimage/interp_op.h"
#include <stddef.h>
#include "classfile/opcode.h"
#include "hotspot/target.h"
#include "safe/release.h"

/* The first of the VM's own bytecodes. */
enum { REWRITTEN_FIRST = 203 };

#define TAKES(pops, push) (uint8_t)((pops) << 2 | INTERP_OP_PUSH_##push)

/* A row is: first bytecode ... last one = cells that it takes, what it puts there. */
const uint8_t interp_op_effects[OP_JSR_W + 1] = {
    [0] = TAKES(0, NONE),
    [1] = TAKES(0, REF),
    [2 ... 8] = TAKES(0, VALUE),
    [9 ... 10] = TAKES(0, TWO),
    [11 ... 13] = TAKES(0, VALUE),
    [14 ... 15] = TAKES(0, TWO),
    [16 ... 17] = TAKES(0, VALUE),
    [18 ... 19] = INTERP_OP_OWN, /* ldc */
    [20] = TAKES(0, TWO),
    [21] = TAKES(0, VALUE), /* loads */
    [22] = TAKES(0, TWO),
    [23] = TAKES(0, VALUE),
    [24] = TAKES(0, TWO),
    [25] = TAKES(0, REF),
    [26 ... 29] = TAKES(0, VALUE),
    [30 ... 33] = TAKES(0, TWO),
    [34 ... 37] = TAKES(0, VALUE),
    [38 ... 41] = TAKES(0, TWO),
    [42 ... 45] = TAKES(0, REF),
    [46] = TAKES(2, VALUE), /* of arrays */
    [47] = TAKES(2, TWO),
    [48] = TAKES(2, VALUE),
    [49] = TAKES(2, TWO),
    [50] = TAKES(2, REF),
    [51 ... 53] = TAKES(2, VALUE),
    [54 ... 78] = INTERP_OP_OWN, /* stores */
    [79] = TAKES(3, NONE),
    [80] = TAKES(4, NONE),
    [81] = TAKES(3, NONE),
    [82] = TAKES(4, NONE),
    [83 ... 86] = TAKES(3, NONE),
    [87] = TAKES(1, NONE),
    [88] = TAKES(2, NONE),
    [89 ... 95] = INTERP_OP_OWN, /* dup to swap */
    [96] = TAKES(2, VALUE),
    [97] = TAKES(4, TWO),
    [98] = TAKES(2, VALUE),
    [99] = TAKES(4, TWO),
    [100] = TAKES(2, VALUE),
    [101] = TAKES(4, TWO),
    [102] = TAKES(2, VALUE),
    [103] = TAKES(4, TWO),
    [104] = TAKES(2, VALUE),
    [105] = TAKES(4, TWO),
    [106] = TAKES(2, VALUE),
    [107] = TAKES(4, TWO),
    [108] = TAKES(2, VALUE),
    [109] = TAKES(4, TWO),
    [110] = TAKES(2, VALUE),
    [111] = TAKES(4, TWO),
    [112] = TAKES(2, VALUE),
    [113] = TAKES(4, TWO),
    [114] = TAKES(2, VALUE),
    [115] = TAKES(4, TWO),
    [116] = TAKES(1, VALUE),
    [117] = TAKES(2, TWO),
    [118] = TAKES(1, VALUE),
    [119] = TAKES(2, TWO),
    [120] = TAKES(2, VALUE),
    [121] = TAKES(3, TWO),
    [122] = TAKES(2, VALUE),
    [123] = TAKES(3, TWO),
    [124] = TAKES(2, VALUE),
    [125] = TAKES(3, TWO),
    [126] = TAKES(2, VALUE),
    [127] = TAKES(4, TWO),
    [128] = TAKES(2, VALUE),
    [129] = TAKES(4, TWO),
    [130] = TAKES(2, VALUE),
    [131] = TAKES(4, TWO),
    [132] = TAKES(0, NONE),
    [133] = TAKES(1, TWO), /* conversions */
    [134] = TAKES(1, VALUE),
    [135] = TAKES(1, TWO),
    [136 ... 137] = TAKES(2, VALUE),
    [138] = TAKES(2, TWO),
    [139] = TAKES(1, VALUE),
    [140 ... 141] = TAKES(1, TWO),
    [142] = TAKES(2, VALUE),
    [143] = TAKES(2, TWO),
    [144] = TAKES(2, VALUE),
    [145 ... 147] = TAKES(1, VALUE),
    [148] = TAKES(4, VALUE), /* comparisons */
    [149 ... 150] = TAKES(2, VALUE),
    [151 ... 152] = TAKES(4, VALUE),
    [153 ... 158] = TAKES(1, NONE),
    [159 ... 166] = TAKES(2, NONE),
    [167] = TAKES(0, NONE),
    [168 ... 169] = INTERP_OP_OWN, /* jsr, ret */
    [170 ... 171] = TAKES(1, NONE),
    [172 ... 177] = TAKES(0, NONE),
    [178 ... 186] = INTERP_OP_OWN, /* fields and calls */
    [187] = TAKES(0, REF),
    [188 ... 189] = TAKES(1, REF),
    [190] = TAKES(1, VALUE),
    [191] = TAKES(0, NONE),
    [192] = TAKES(1, REF),
    [193] = TAKES(1, VALUE),
    [194 ... 195] = TAKES(1, NONE),
    [196 ... 197] = INTERP_OP_OWN, /* wide, multianewarray */
    [198 ... 199] = TAKES(1, NONE),
    [200] = TAKES(0, NONE),
    [201] = INTERP_OP_OWN, /* jsr_w */
};

/* The VM's own bytecodes, from REWRITTEN_FIRST on: what each stands for. JDK 28 has two more. */
enum { IS_NEW = 0x100 };
static const uint16_t rewritten[] = {
    OP_GETFIELD,
    OP_GETFIELD | IS_NEW,
    OP_GETFIELD,
    OP_GETFIELD,
    OP_GETFIELD,
    OP_GETFIELD,
    OP_GETFIELD,
    OP_GETFIELD,
    OP_GETFIELD,
    OP_PUTFIELD,
    OP_PUTFIELD | IS_NEW,
    OP_PUTFIELD,
    OP_PUTFIELD,
    OP_PUTFIELD,
    OP_PUTFIELD,
    OP_PUTFIELD,
    OP_PUTFIELD,
    OP_PUTFIELD,
    OP_PUTFIELD,
    OP_ALOAD_0,
    OP_ALOAD_0,
    OP_ALOAD_0,
    OP_ALOAD_0,
    OP_ILOAD,
    OP_ILOAD,
    OP_ILOAD,
    OP_INVOKEVIRTUAL,
    OP_LOOKUPSWITCH,
    OP_LOOKUPSWITCH,
    OP_LDC,
    OP_LDC_W,
    OP_RETURN,
    OP_INVOKEVIRTUAL,
    OP_GETFIELD,
    OP_PUTFIELD,
    OP_ALOAD_0,
    OP_ILOAD,
};

_Static_assert(sizeof(rewritten) / sizeof(rewritten[0]) == 37, "JDK 28");

uint8_t interp_op_of(const struct target *t, uint8_t op, bool *ret_is_object)
{
    uint32_t left = op < REWRITTEN_FIRST ? 0 : op - REWRITTEN_FIRST;
    *ret_is_object = false;
    if (op < REWRITTEN_FIRST)
        return op <= OP_JSR_W ? op : 0xff;
    for (size_t i = 0; i < sizeof(rewritten) / sizeof(rewritten[0]); i++) {
        if ((rewritten[i] & IS_NEW) != 0 && t->layout->version < RELEASE_VALUE_OBJECTS)
            continue;
        if (left-- == 0) {
            uint8_t java = (uint8_t)rewritten[i];
            *ret_is_object = java == OP_LDC || java == OP_LDC_W;
            return java;
        }
    }
    return 0xff;
}

bool interp_op_can_throw(uint8_t op)
{
    return (op >= OP_LDC && op <= OP_LDC2_W) || (op >= OP_IALOAD && op <= OP_SALOAD) ||
           (op >= OP_IASTORE && op <= OP_SASTORE) || (op >= OP_IDIV && op <= OP_LDIV) ||
           (op >= OP_IREM && op <= OP_LREM) || (op >= OP_GETSTATIC && op <= OP_MONITORENTER) ||
           op == OP_MULTIANEWARRAY;
}
