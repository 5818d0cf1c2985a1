/*
 * options_frozen.h - the options of the frozen heap, for all engines that read it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

struct options_frozen {
    bool fork; /* a forked child reads the heap */
    /* y, n, short: whether the heap is read inside a pause when there is no child */
    char in_pause[OPTIONS_ROW_WORD];
    uint64_t fork_bytes; /* most memory that the child may use itself; 0: no limit */
};

extern const struct options_group options_frozen;

/** The options of the frozen heap. Context: any. */
static inline const struct options_frozen *options_frozen_of(const struct options *o)
{
    return options_group_own(o, &options_frozen);
}
