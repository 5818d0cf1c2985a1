/*
 * stripe.h - which of several counters a thread counts in, so that threads do not fight for one.
 *
 * A counter that is parted lies on several cache lines, in an array of STRIPES, and is the sum of
 * all. A thread is told from others by its stack, which costs no thread-local memory: counting in
 * the stripe of another thread is slower and not wrong. Context of everything here: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

enum {
    STRIPE_LOG2 = 6,
    STRIPES = 1 << STRIPE_LOG2,
    STRIPE_BYTES = 64,      /* a cache line, for _Alignas */
    STRIPE_STACK_LOG2 = 14, /* stacks differ in the bits from here on */
};

/** The place of the calling thread, below STRIPES: mostly the same each time. */
static inline uint32_t stripe_of_thread(void)
{
    uint64_t stack = (uint64_t)(uintptr_t)__builtin_frame_address(0) >> STRIPE_STACK_LOG2;
    return (uint32_t)(stack * 0x9e3779b97f4a7c15u >> (64 - STRIPE_LOG2));
}
