/*
 * series.h - what users call the values of a profile, where one of them is asked for: cpu, alloc.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "kind/kind.h"

struct profile;

/** Behind `s`, in the order in which a profile is shown: the first of NULL. NULL: `s` was the last.
 */
const struct series *series_next(const struct series *s);
/** The same, of those that the profile has any of. */
const struct series *series_next_in(const struct series *s, struct profile *profile);
/** NULL: no such word. */
const struct series *series_named(const char *word);
/** Whether the profile has any of that value. */
bool series_is_in(const struct series *s, struct profile *profile);
