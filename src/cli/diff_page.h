/*
 * diff_page.h - the flame graph of two profiles' differences.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct convert;
struct profile;

/**
 * Writes the page that `c` names, of `c->series`. Frames are told apart by their names: how code
 * ran is another matter in each run. With `is_absolute`, shares are of the first profile's sum.
 * Errors: 0, or negative after saying why.
 */
int diff_page_write(const struct convert *c, struct profile *const profiles[], bool is_absolute);
