/*
 * sampled.c - see sampled.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/sampled.h"
#include "base/expo.h"
#include "base/splitmix.h"

double sampled_hit(uint64_t bytes, uint64_t interval)
{
    return interval > 1 ? expo_hit((double)bytes / (double)interval) : 1;
}

struct sampled sampled_of(uint64_t bytes, uint64_t interval, uint64_t address, uint64_t time)
{
    double p = sampled_hit(bytes, interval);
    double drawn = splitmix_fraction(splitmix_mix(address + time * SPLITMIX_STEP));
    if (p <= 0 || p >= 1)
        return (struct sampled){.bytes = bytes, .count = 1};
    return (struct sampled){.bytes = (uint64_t)((double)bytes / p + drawn),
                            .count = (uint64_t)(1 / p + drawn)};
}
