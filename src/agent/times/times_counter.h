/*
 * times_counter.h - the processor's counter, which some clocks of cpu=times use.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/** The counter's value now; 0 if the processor has none. Context: any. */
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
/**
 * Whether the counters of all processors agree and run at one rate in every state. Context: any.
 */
bool times_counter_is_safe(void);
