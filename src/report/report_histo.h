/*
 * report_histo.h - prints the histogram of a heap for people.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct profile;
struct report_how;

/** Prints the lines that say which histograms there are. */
void report_histo_head(const struct report_how *r, struct profile *profile);
/** Prints the tables. Errors: 0, -ENOMEM. */
int report_histo(const struct report_how *r, struct profile *profile);
