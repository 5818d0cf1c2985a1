/*
 * report_histo.h - the histogram of a heap, for people.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct profile;
struct report_how;

/** The lines that say what there is. */
void report_histo_head(const struct report_how *r, struct profile *profile);
/** The tables. Errors: 0, -ENOMEM. */
int report_histo(const struct report_how *r, struct profile *profile);
