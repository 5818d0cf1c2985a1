/*
 * options_nativemem.h - the options of sampled native memory (event=nativemem, nativemem=SIZE).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

struct options_nativemem {
    uint64_t interval_bytes; /* mean distance between samples; 1: each block */
};

extern const struct options_group options_nativemem;

/** The options of sampled native memory. Context: any. */
static inline const struct options_nativemem *options_nativemem_of(const struct options *o)
{
    return options_group_own(o, &options_nativemem);
}
