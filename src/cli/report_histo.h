/*
 * report_histo.h - the histogram of a heap, for people.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct profile;
struct report;

/** The lines that say what there is. */
void report_histo_head(const struct report *r, struct profile *profile);
/** The tables. Errors: 0, -ENOMEM. */
int report_histo(const struct report *r, struct profile *profile);
