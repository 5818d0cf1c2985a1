/*
 * report_leaks.h - prints which native memory was not freed, or not unmapped, by the stack that
 * allocated or mapped it, with its age.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

struct profile;
struct report_how;
struct series;

/** Whether the report is about this series; it may be NULL. */
bool report_leaks_is(const struct series *series);

/**
 * Prints the table of `series` below `title`, and tables of methods. Ages are printed if the
 * profile was read with its times. Errors: 0, -ENOMEM.
 */
int report_leaks(const struct report_how *r, const char *title, struct profile *profile,
                 const struct series *series);
