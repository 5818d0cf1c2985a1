/*
 * report_times.h - what cpu=times, cpu=old and MONITOR TIME found, for people.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct profile;
struct report_how;

/** A line for each of the tables that the file has. Errors: 0, -ENOMEM. */
int report_times_head(const struct report_how *r, struct profile *profile);
/** The tables themselves. Errors: 0, -ENOMEM. */
int report_times(const struct report_how *r, struct profile *profile);
