/*
 * options_alloc.h - the options of allocation tracking (heap=sites, heap=dump).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

struct options_alloc {
    uint64_t sample_bytes; /* bytes between samples; 0: every object counts */
};

extern const struct options_group options_alloc;

/** The options of allocation tracking. Context: any. */
static inline const struct options_alloc *options_alloc_of(const struct options *o)
{
    return options_group_own(o, &options_alloc);
}
