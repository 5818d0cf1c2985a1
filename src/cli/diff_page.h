/*
 * diff_page.h - the flame graph of two profiles' differences.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct convert;
struct diff;
struct profile;

/**
 * Writes the page that `c` names, of `c->series`, with what `diff` has found between the two files.
 * Frames are told apart by their names: how code ran is another matter in each run. Errors: 0, or
 * negative after saying why.
 */
int diff_page_write(const struct convert *c, const struct diff *diff,
                    struct profile *const profiles[], const char *const files[]);
