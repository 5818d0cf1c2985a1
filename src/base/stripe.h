/*
 * stripe.h - which of several counters a thread uses, so that threads do not fight for one cache
 * line.
 *
 * A striped counter is an array of STRIPES counters, each in its own cache line; its value is the
 * sum of all. The address of its stack chooses the counter of a thread, which needs no thread-local
 * memory. Two threads may share a counter: counting is then slower and still right. Context of
 * everything here: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

enum {
    STRIPE_LOG2 = 6,
    STRIPES = 1 << STRIPE_LOG2,
    STRIPE_BYTES = 64,      /* a cache line, for _Alignas */
    STRIPE_STACK_LOG2 = 14, /* the stacks of two threads differ from this bit on */
};

/** The index of the calling thread's counter, below STRIPES; mostly the same at each call. */
static inline uint32_t stripe_of_thread(void)
{
    uint64_t stack = (uint64_t)(uintptr_t)__builtin_frame_address(0) >> STRIPE_STACK_LOG2;
    return (uint32_t)(stack * 0x9e3779b97f4a7c15u >> (64 - STRIPE_LOG2));
}
