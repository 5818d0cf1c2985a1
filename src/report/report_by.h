/*
 * report_by.h - `hprof report --by KEY`: sums what was measured for each value of a key of
 * contexts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct profile;
struct report_how;
struct series;

/**
 * Prints below `title` a table for each series of the profile, or only for `wanted`. A table has a
 * row for each value of the key, the largest first, and a row for events without a value. The
 * profile must have the key. Errors: 0; -ENOMEM.
 */
int report_by(const struct report_how *r, const char *title, struct profile *profile,
              const char *key, const struct series *wanted);
