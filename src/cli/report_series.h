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
 * Prints under `title` the classes and names that have it, where it is of any, the methods by their
 * own and by their total share, and the stacks that have most of it. The profile has some of it.
 * Errors: 0; -ENOMEM.
 */
int report_series(const struct report_how *r, const char *title, struct profile *profile,
                  const struct series *s);
