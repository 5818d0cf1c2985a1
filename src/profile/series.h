/*
 * series.h - the words with which users ask for one value of a profile: cpu, alloc.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "profile/event.h"

struct series {
    const char *word;
    enum event_kind kind;
    uint32_t value; /* index among the values of the kind */
};

struct profile;

/** All series, in the order of series.def. *ret_count is how many. */
const struct series *series_all(size_t *ret_count);
/** NULL: no such word. */
const struct series *series_named(const char *word);
/** Whether the profile has any of this value. */
bool series_is_in(const struct series *s, struct profile *profile);
