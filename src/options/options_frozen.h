/*
 * options_frozen.h - what the option string says of the frozen heap, whoever reads it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

struct options_frozen {
    bool fork;                       /* by a forked child */
    char in_pause[OPTIONS_ROW_WORD]; /* or inside the pause, where there is no child: y, n, short */
    uint64_t fork_bytes;             /* most memory of the child's own; 0 no limit */
};

extern const struct options_group options_frozen;

/** What the option string says of the frozen heap. Context: any. */
static inline const struct options_frozen *options_frozen_of(const struct options *o)
{
    return options_group_own(o, &options_frozen);
}
