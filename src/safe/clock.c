/*
 * clock.c - see clock.h. clock_gettime is async-signal-safe (POSIX.1-2017, 2.4.3).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/clock.h"
#include <time.h>

static uint64_t read_clock(clockid_t clock)
{
    struct timespec t;

    if (clock_gettime(clock, &t) != 0)
        return 0;
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t clock_thread_cpu_ns(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t clock_monotonic_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}
