/*
 * report.h - the summary of one profile, printed for people.
 *
 * `hprof run` and `hprof report` print the same text: what the file has and how far it can be
 * trusted, then a table for each kind of table in it: methods by samples and by times, contended
 * monitors, the threads of the last dump, allocation sites; and the hottest stacks.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdio.h>
#include "cli/report_how.h"

struct profile;

/** The columns of the terminal behind `out`, or 0 if it is none. $COLUMNS goes first. */
size_t report_width(FILE *out);

/**
 * Prints under `title`. Errors: 0; -ENOMEM. What cannot be written shows in ferror(out).
 */
int report_print(const struct report_how *report, const char *title, struct profile *profile);
