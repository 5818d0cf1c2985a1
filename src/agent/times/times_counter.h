/*
 * times_counter.h - the processor's counter, which some clocks of cpu=times count by.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/** What it counts now; 0 where the processor has none. Context: any. */
static inline int64_t times_counter_read(void)
{
#if defined(__x86_64__)
    return (int64_t)__builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    int64_t v;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
    return v;
#else
    return 0;
#endif
}
/** Whether all processors count the same, at one rate, in every state. Context: any. */
bool times_counter_is_safe(void);
