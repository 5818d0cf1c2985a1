/*
 * report_times.h - prints the tables of cpu=times, cpu=old and MONITOR TIME for people.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct profile;
struct report_how;

/** Prints a line for each of these tables that the file has. Errors: 0, -ENOMEM. */
int report_times_head(const struct report_how *r, struct profile *profile);
/** Prints the tables. Errors: 0, -ENOMEM. */
int report_times(const struct report_how *r, struct profile *profile);
