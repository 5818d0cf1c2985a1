/*
 * clock.h - the clocks that a signal handler may read, and how many ns the other units of time
 * have.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include <time.h>

/* The type is int: a product that may exceed two seconds is written (uint64_t)x * NS_PER_S. */
enum { NS_PER_US = 1000, NS_PER_MS = 1000000, NS_PER_S = 1000000000 };

/** CPU time of the calling thread in ns; 0 if the kernel refuses. Context: signal. */
uint64_t clock_thread_cpu_ns(void);
/** Time in ns since some fixed point; never goes back. Context: signal. */
uint64_t clock_monotonic_ns(void);
/** The time of `clock` in ns; 0 if the kernel refuses. Context: signal. */
uint64_t clock_ns(clockid_t clock);
/** `ns` in the form that the kernel takes. Context: signal. */
struct timespec clock_timespec(uint64_t ns);
