/*
 * options_lock.h - what the option string says of threads that are blocked.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

enum options_lock_event {
    OPTIONS_LOCK_ENTER,
    OPTIONS_LOCK_WAIT,
    OPTIONS_LOCK_PARK,
    OPTIONS_LOCK_EVENTS,
};

struct options_lock {
    uint64_t threshold_ns[OPTIONS_LOCK_EVENTS]; /* what is shorter is only counted */
};

extern const struct options_group options_lock;

/** Context: any. */
static inline const struct options_lock *options_lock_of(const struct options *o)
{
    return options_group_own(o, &options_lock);
}
