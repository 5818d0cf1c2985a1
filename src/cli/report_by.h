/*
 * report_by.h - what was measured, by what threads worked for: `hprof report --by KEY`.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct profile;
struct report_how;
struct series;

/**
 * Prints under `title` a table for each series that the profile has, or for the one that is wanted:
 * a row for each value of the key, the largest first, and one for what has none. The profile has
 * the key. Errors: 0; -ENOMEM.
 */
int report_by(const struct report_how *r, const char *title, struct profile *profile,
              const char *key, const struct series *wanted);
