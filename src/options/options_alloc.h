/* options_alloc.h - how allocations are tracked. SPDX-License-Identifier: Apache-2.0 */
#pragma once
#include "options/options_group.h"

struct options_alloc {
    uint64_t sample_bytes; /* bytes between samples; 0: every object counts */
};

extern const struct options_group options_alloc;

/** What the option string says of tracking allocations. Context: any. */
static inline const struct options_alloc *options_alloc_of(const struct options *o)
{
    return options_group_own(o, &options_alloc);
}
