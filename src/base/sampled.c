/*
 * sampled.c - see sampled.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/sampled.h"
#include "base/expo.h"
#include "base/splitmix.h"

struct sampled sampled_of(uint64_t bytes, uint64_t interval, uint64_t seed)
{
    enum { BITS = 53 };
    double p = interval > 1 ? expo_hit((double)bytes / (double)interval) : 1;
    double drawn = (double)(splitmix_mix(seed) >> (64 - BITS)) / (double)((uint64_t)1 << BITS);
    if (p <= 0 || p >= 1)
        return (struct sampled){.bytes = bytes, .count = 1};
    return (struct sampled){.bytes = (uint64_t)((double)bytes / p + drawn),
                            .count = (uint64_t)(1 / p + drawn)};
}
