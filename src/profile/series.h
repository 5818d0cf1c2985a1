/*
 * series.h - the words by which users ask for one value of a profile, for example cpu or alloc.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "kind/kind.h"

struct profile;

/** The series after `s`, in the order of their ranks; after NULL comes the first series. Returns
 * NULL after the last. */
const struct series *series_next(const struct series *s);
/** Like series_next(), but passes over series of which the profile has nothing. */
const struct series *series_next_in(const struct series *s, struct profile *profile);
/** The series with this word; NULL: none. */
const struct series *series_named(const char *word);
/** Whether the profile has anything of this series: its total is not 0. */
bool series_is_in(const struct series *s, struct profile *profile);
