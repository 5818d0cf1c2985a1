/*
 * framemade.h - the memory of a VM that has one method and one blob of compiled code with oop maps,
 * made for tests of heapimage/interp_mask.h and heapimage/oop_maps.h. Nothing else can be read.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "heapimage/interp_mask.h"
#include "heapimage/oop_maps.h"
#include "hotspot/target.h"
#include "safe/hs_code.h"
#include "safe/mem.h"

enum {
    FRAMEMADE_BYTES = 160 << 10,
    FRAMEMADE_CALL =
        1,           /* indices of the constant pool's cache: a method (Ljava/lang/String;JI)[I */
    FRAMEMADE_FIELD, /* a field of the type J */
    FRAMEMADE_VOID,  /* a method ()V */
};

/** Where the memory lies, and what lies where. */
#define FRAMEMADE_AT UINT64_C(0x7f0000000000)
enum {
    FRAMEMADE_METHOD = 0x100,
    FRAMEMADE_POOL = 0x400,
    FRAMEMADE_CACHE = 0x800,
    FRAMEMADE_TAGS = 0xa00,
    FRAMEMADE_SYMBOLS = 0xb00,
    FRAMEMADE_BLOB = 0x1000, /* a CodeBlob; its code follows */
    FRAMEMADE_MAPS = 0x2000,
    FRAMEMADE_CODE = 0x10000, /* a ConstMethod */
};

struct framemade {
    struct mem mem;
    struct target target;
    struct hs_layout layout;
    struct interp_mask masks;
    struct oop_maps maps;
    struct hs_blob blob;
    uint64_t words[FRAMEMADE_BYTES / 8];
};

struct framemade_method {
    const char *descriptor;
    bool is_static;
    uint16_t locals, stack;
    const uint8_t *code;
    uint32_t code_size;
    const uint16_t (*handlers)[4];
    uint32_t handler_count;
};

/** Make the memory. Owner: interp_mask_done(&f->masks). */
void framemade_init(struct framemade *f);
/** Put the method there, which may be anything. */
void framemade_put(struct framemade *f, const struct framemade_method *m);
/** Write bytes at an offset; what reaches over the end is left out. */
void framemade_write(struct framemade *f, uint32_t at, const void *bytes, uint32_t count);

static inline const uint8_t *framemade_mask(struct framemade *f, int32_t bci, bool is_call_done,
                                            struct interp_mask_shape *ret_shape)
{
    return interp_mask_find(&f->masks, FRAMEMADE_AT + FRAMEMADE_METHOD, bci, is_call_done,
                            ret_shape);
}
