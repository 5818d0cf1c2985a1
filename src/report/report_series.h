/*
 * report_series.h - reports series of a profile: one (`hprof report -e alloc FILE`), or each by the
 * values of a key of contexts (`hprof report --by KEY`).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct profile;
struct report_how;
struct series;

/**
 * Prints the methods by their own and by their total share of the value, and the stacks with the
 * largest values, if there are any. `of` follows the headings. Errors: 0; -ENOMEM.
 */
int report_series_methods(const struct report_how *r, struct profile *profile,
                          const struct series *s, const char *of);
/**
 * Prints below `title` the classes and names that have the value (if rows have classes or names),
 * then the methods and stacks. The profile must have the series. Errors: 0; -ENOMEM.
 */
int report_series(const struct report_how *r, const char *title, struct profile *profile,
                  const struct series *s);
/**
 * Prints below `title` a table for each series of the profile, or only for `wanted`. A table has a
 * row for each value of the key, the largest first, and a row for events without a value. The
 * profile must have the key. Errors: 0; -ENOMEM.
 */
int report_series_by(const struct report_how *r, const char *title, struct profile *profile,
                     const char *key, const struct series *wanted);
