/*
 * report_series.h - where one of the values went that a profile has: `hprof report -e alloc FILE`.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct profile;
struct report_how;
struct series;

/**
 * Prints the methods by their own and by their total share of the value, and the stacks that have
 * most of it, if there is any; `of` stands behind the headings. Errors: 0; -ENOMEM.
 */
int report_series_methods(const struct report_how *r, struct profile *profile,
                          const struct series *s, const char *of);
/**
 * Prints under `title` the classes and names that have it, where it is of any, and these methods
 * and stacks. The profile has some of it. Errors: 0; -ENOMEM.
 */
int report_series(const struct report_how *r, const char *title, struct profile *profile,
                  const struct series *s);
