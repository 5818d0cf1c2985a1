/*
 * clock.h - the clocks a signal handler may read.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

/** CPU time of the calling thread in ns; 0 if the kernel refuses. Context: signal. */
uint64_t clock_thread_cpu_ns(void);
/** Time since some fixed point in ns, never going back. Context: signal. */
uint64_t clock_monotonic_ns(void);
