/*
 * options_frozen.h - the options of the frozen heap, for all engines that read it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

#define OPTIONS_FROZEN_NO_LIMIT UINT64_MAX

struct options_frozen {
    bool fork; /* a forked child reads the heap */
    /* y, n, short: whether the heap is read inside a pause when there is no child */
    char in_pause[OPTIONS_ROW_WORD];
    /* most memory that the child may have for itself; 0: none for copies of the program's pages, so
     * the program stands still while the child works; OPTIONS_FROZEN_NO_LIMIT */
    uint64_t fork_bytes;
};

extern const struct options_group options_frozen;

/** The options of the frozen heap. Context: any. */
static inline const struct options_frozen *options_frozen_of(const struct options *o)
{
    return options_group_own(o, &options_frozen);
}
