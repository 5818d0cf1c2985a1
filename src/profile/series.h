/*
 * series.h - what users call the values of a profile, where one of them is asked for: cpu, alloc.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "profile/event.h"

struct series {
    const char *word;
    enum event_kind kind;
    uint32_t value; /* which of the kind's values */
};

struct profile;

/** All of them, in the order of series.def; *ret_count is how many. */
const struct series *series_all(size_t *ret_count);
/** NULL: no such word. */
const struct series *series_named(const char *word);
/** Whether the profile has any of that value. */
bool series_is_in(const struct series *s, struct profile *profile);
