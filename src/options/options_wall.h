/*
 * options_wall.h - what the option string says of samples of wall-clock time.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

struct options_wall {
    uint64_t interval_ns;
};

extern const struct options_group options_wall;

/** Context: any. */
static inline const struct options_wall *options_wall_of(const struct options *o)
{
    return options_group_own(o, &options_wall);
}
