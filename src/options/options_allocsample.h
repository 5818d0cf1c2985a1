/*
 * options_allocsample.h - what the option string says of sampled allocations.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

/** options_group_asked(). */
enum { OPTIONS_ALLOCSAMPLE_MADE = 1, OPTIONS_ALLOCSAMPLE_LIVE };

struct options_allocsample {
    uint64_t interval_bytes; /* mean distance between samples; 1: nearly every object */
    int survived;            /* event=live: objects that so many collections have left, or more */
    double rate; /* of samples that are counted, per second; options_row_is_unbounded() */
};

extern const struct options_group options_allocsample;

/** What the option string says of sampled allocations. Context: any. */
static inline const struct options_allocsample *options_allocsample_of(const struct options *o)
{
    return options_group_own(o, &options_allocsample);
}
