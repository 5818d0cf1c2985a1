/*
 * local_debug.h - where the local variables of compiled code are at a call site, from its debug
 * data.
 *
 * A variable that the code does not need any more has no place, and one in a register has none that
 * is known here. Objects that the compiler has removed do not exist.
 * Source: HotSpot debugInfo.cpp (ScopeValue), location.hpp, compressedStream.hpp; for values of two
 * slots output.cpp (FillLocArray), c1_LinearScan.cpp (append_scope_value).
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct target;

/** A place in compiled code, or a place in a frame of it. */
struct local_debug_frame {
    uint64_t pc, sp; /* return address, stack pointer */
    uint32_t level;  /* level of inlining; 0: innermost */
    uint64_t method; /* Method* of this level */
    int32_t bci;
};

enum local_debug_kind {
    LOCAL_DEBUG_NONE,          /* no value is known */
    LOCAL_DEBUG_INT,           /* four bytes at `at`, an int or a float */
    LOCAL_DEBUG_DOUBLED,       /* a float that is kept as a double at `at` */
    LOCAL_DEBUG_LONG,          /* eight bytes at `at`, a long or a double */
    LOCAL_DEBUG_REFERENCE,     /* a reference at `at`, not compressed */
    LOCAL_DEBUG_NARROW,        /* a compressed reference at `at` */
    LOCAL_DEBUG_CONSTANT_INT,  /* `at` is the value */
    LOCAL_DEBUG_CONSTANT_LONG, /* `at` is the value */
    LOCAL_DEBUG_NULL,
};

struct local_debug {
    enum local_debug_kind kind;
    uint64_t at; /* an address, or a value */
};

/**
 * Find the place of the variable in a slot; a value of two slots is in the second. If the debug
 * data have no scope with the frame's method and bci, there is none.
 */
struct local_debug local_debug_find(const struct target *t, const struct local_debug_frame *frame,
                                    uint32_t slot);
