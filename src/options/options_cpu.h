/*
 * options_cpu.h - the options of CPU samples (cpu=samples, event=cpu).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

struct options_cpu {
    char timer[OPTIONS_ROW_WORD];  /* "": the best that works here */
    char signal[OPTIONS_ROW_WORD]; /* signal of the timer; "": one that nothing else uses */
    char walker[OPTIONS_ROW_WORD]; /* "": the best that works here */
    bool native;                   /* show C and C++ frames too */
    bool kernel;                   /* show kernel frames too */
};

extern const struct options_group options_cpu;

/** The options of CPU samples. Context: any. */
static inline const struct options_cpu *options_cpu_of(const struct options *o)
{
    return options_group_own(o, &options_cpu);
}
