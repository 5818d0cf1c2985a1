/*
 * interp_mask.h - which locals and which places of the expression stack of an interpreted method
 * hold references at a bytecode.
 *
 * The types are found as the VM finds them for its collector (OopMapCache): the bytecodes are run
 * with types in place of values, over all paths, until nothing changes. A local holds a reference
 * where it does on every path to the bytecode. A variable that is not used any more counts still.
 * The VM rewrites bytecodes in place: faster forms, and indices of the constant pool's cache.
 * Subroutines (jsr, ret; class files before version 51) and breakpoints are not followed.
 * The work is bounded: a method of hostile memory may have any branches; when the sum over all
 * methods is spent, no further method is read.
 * Source: JVM specification 6; HotSpot bytecodes.hpp, generateOopMap.cpp, oopMapCache.cpp,
 * rewriter.cpp, cpCache.hpp.
 * Context of everything here: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "hotspot/method_debug.h"

struct target;

enum { INTERP_MASK_KNOWN = 256 };

/** The forms of an index of the constant pool's cache. */
struct interp_mask_entries {
    int32_t list;  /* offset of the list's address in the cache; -1: the entries are in the cache */
    int32_t first; /* offset of the first entry */
    int32_t bytes; /* of an entry; -1: not known */
    int32_t index; /* offset in an entry of the index of the constant pool, 2 bytes */
};

struct interp_mask {
    const struct target *target;
    struct method_debug_facts methods;
    int32_t cache, tags; /* offsets in a ConstantPool */
    struct interp_mask_entries fields, calls, dynamics;
    uint64_t work_left;
    /* the last answers, by method and bytecode */
    struct interp_mask_answer {
        uint64_t method;
        int32_t bci;
        bool is_call_done;
        uint8_t *mask; /* NULL: cannot be told */
        uint32_t locals, stack;
    } known[INTERP_MASK_KNOWN];
};

struct interp_mask_shape {
    uint32_t locals,
        stack; /* bytes of the mask: locals, then the expression stack from its bottom */
};

void interp_mask_init(struct interp_mask *m, const struct target *t);
void interp_mask_done(struct interp_mask *m);

/**
 * The mask of `method` at `bci`: a byte for each local and each place of the stack, 1 if it holds a
 * reference. `is_call_done`: the bytecode is a call that has taken its arguments. Of a native
 * method the locals are its parameters. Returns NULL if it cannot be told. Owner: `m`, until the
 * next call.
 */
const uint8_t *interp_mask_find(struct interp_mask *m, uint64_t method, int32_t bci,
                                bool is_call_done, struct interp_mask_shape *ret_shape);
