/*
 * probe_times.h - the durations of many pairs: count, sum, least, most, and how they are spread.
 *
 * A bucket is a quarter of a power of two, so a percentile is at most 19 per cent too large.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { PROBE_TIMES_QUARTERS = 4, PROBE_TIMES_BUCKETS = 64 * PROBE_TIMES_QUARTERS };

/** All zero: none yet. */
struct probe_times {
    uint64_t count, sum_ns, least_ns, most_ns;
    uint32_t buckets[PROBE_TIMES_BUCKETS]; /* saturate */
};

void probe_times_add(struct probe_times *t, uint64_t ns);
/** The duration that `share` of all are not above; between least_ns and most_ns. 0: there are
 * none. */
uint64_t probe_times_percentile(const struct probe_times *t, double share);
/** How many durations are at least 2^power ns and less than twice that; those of 0 ns are with
 * power 0. */
uint64_t probe_times_of_power(const struct probe_times *t, unsigned power);
/** Write "26.7 ms": three digits, and the unit that fits. */
void probe_times_text(char *to, size_t room, uint64_t ns);
