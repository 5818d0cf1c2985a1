/*
 * options_lock.h - the options of blocked threads (event=lock).
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
    uint64_t threshold_ns[OPTIONS_LOCK_EVENTS]; /* shorter waits are only counted */
};

extern const struct options_group options_lock;

/** The options of blocked threads. Context: any. */
static inline const struct options_lock *options_lock_of(const struct options *o)
{
    return options_group_own(o, &options_lock);
}
