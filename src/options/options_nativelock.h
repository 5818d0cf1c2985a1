/*
 * options_nativelock.h - the options of waits for native locks (event=nativelock, nativelock=TIME,
 * nativelockvm=y|n).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

struct options_nativelock {
    uint64_t threshold_ns; /* shorter waits are only counted */
    bool with_vm;          /* also the VM's waits for conditions and semaphores */
};

extern const struct options_group options_nativelock;

/** The options of waits for native locks. Context: any. */
static inline const struct options_nativelock *options_nativelock_of(const struct options *o)
{
    return options_group_own(o, &options_nativelock);
}
