/*
 * clock.c - see clock.h. clock_gettime is async-signal-safe (POSIX.1-2017, 2.4.3).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/clock.h"

uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    if (clock_gettime(clock, &t) != 0)
        return 0;
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

uint64_t clock_thread_cpu_ns(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t clock_monotonic_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

struct timespec clock_timespec(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
}
