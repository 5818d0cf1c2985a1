/*
 * report.h - prints the summary of one profile for people.
 *
 * `hprof run` and `hprof report` print the same text: what the file has and how far it can be
 * trusted, then a table for each kind of table in the file (methods by samples and by times,
 * contended monitors, the threads of the last dump, allocation sites), then the hottest stacks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdio.h>
#include "report/report_how.h"

struct profile;

/** The number of columns of the terminal behind `out`; 0: `out` is not a terminal. $COLUMNS is used
 * if it is set. */
size_t report_width(FILE *out);

/**
 * Prints the summary below `title`. Errors: 0; -ENOMEM. If writing fails, ferror(out) tells.
 */
int report_print(const struct report_how *report, const char *title, struct profile *profile);
