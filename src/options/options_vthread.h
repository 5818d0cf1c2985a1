/*
 * options_vthread.h - the options of virtual threads (event=vthread, vthread=TIME).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

struct options_vthread {
    uint64_t threshold_ns; /* shorter pinned times are only counted */
};

extern const struct options_group options_vthread;

/** The options of virtual threads. Context: any. */
static inline const struct options_vthread *options_vthread_of(const struct options *o)
{
    return options_group_own(o, &options_vthread);
}
