/*
 * splitmix.h - random numbers for sampling, and hashes for tables: SplitMix64.
 *
 * Not for secrets.
 * Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdint.h>

#define SPLITMIX_STEP UINT64_C(0x9e3779b97f4a7c15)

/** The finisher of SplitMix64: a permutation that moves close numbers far apart. Context: any. */
static inline uint64_t splitmix_mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/** The next random number. The state may begin with any value. */
static inline uint64_t splitmix_next(uint64_t *state)
{
    return splitmix_mix(*state += SPLITMIX_STEP);
}

/** A random number of 64 bits as one in [0, 1): its highest 53 bits, which a double holds. Context:
 * any. */
static inline double splitmix_fraction(uint64_t random)
{
    enum { BITS = 53 };
    return (double)(random >> (64 - BITS)) / (double)((uint64_t)1 << BITS);
}

/** Like splitmix_next(), when many threads may use one state at once. Context: any. */
static inline uint64_t splitmix_next_shared(_Atomic uint64_t *state)
{
    return splitmix_mix(atomic_fetch_add_explicit(state, SPLITMIX_STEP, memory_order_relaxed) +
                        SPLITMIX_STEP);
}
