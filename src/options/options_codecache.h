/*
 * options_codecache.h - the options of the levels of the code cache (event=codecache,
 * codecache=TIME).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

struct options_codecache {
    uint64_t interval_ns; /* between two looks */
};

extern const struct options_group options_codecache;

/** The options of the levels of the code cache. Context: any. */
static inline const struct options_codecache *options_codecache_of(const struct options *o)
{
    return options_group_own(o, &options_codecache);
}
