/*
 * options_allocsample.h - the options of sampled allocations (event=alloc, event=live).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

/** The values of options_group_asked(). */
enum { OPTIONS_ALLOCSAMPLE_MADE = 1, OPTIONS_ALLOCSAMPLE_LIVE };

struct options_allocsample {
    uint64_t interval_bytes; /* mean distance between samples; 1: nearly every object */
    /* event=live: only objects that have survived at least this number of collections */
    int survived;
    /* most samples that are counted per second; see options_row_is_unbounded() */
    double rate;
};

extern const struct options_group options_allocsample;

/** The options of sampled allocations. Context: any. */
static inline const struct options_allocsample *options_allocsample_of(const struct options *o)
{
    return options_group_own(o, &options_allocsample);
}
