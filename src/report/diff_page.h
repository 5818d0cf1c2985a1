/*
 * diff_page.h - a flame graph that shows the differences of two profiles.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct convert;
struct diff;
struct profile;

/**
 * Writes the page that `c` names, for the series c->series, with the differences that `diff` has
 * found between the two files. Frames with the same name are the same frame, even if the code was
 * compiled differently in each run. Errors: 0, or negative after saying why.
 */
int diff_page_write(const struct convert *c, const struct diff *diff,
                    struct profile *const profiles[], const char *const files[]);
