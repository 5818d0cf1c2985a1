/* options_cpu.h - what the option string says of samples. SPDX-License-Identifier: Apache-2.0 */
#pragma once
#include "options/options_group.h"

struct options_cpu {
    char timer[OPTIONS_ROW_WORD];  /* "" = the best that works here */
    char signal[OPTIONS_ROW_WORD]; /* of the timer; "" = one that nobody else has */
    char walker[OPTIONS_ROW_WORD]; /* "" = the best that works here */
    bool native;                   /* C and C++ frames too */
    bool kernel;                   /* the kernel's frames too */
};

extern const struct options_group options_cpu;

/** What the option string says of samples. Context: any. */
static inline const struct options_cpu *options_cpu_of(const struct options *o)
{
    return options_group_own(o, &options_cpu);
}
