/*
 * options_ttsp.h - the options of time to safepoint (event=ttsp, ttsp=TIME).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

struct options_ttsp {
    uint64_t threshold_ns; /* shorter times are only counted */
};

extern const struct options_group options_ttsp;

/** The options of time to safepoint. Context: any. */
static inline const struct options_ttsp *options_ttsp_of(const struct options *o)
{
    return options_group_own(o, &options_ttsp);
}
