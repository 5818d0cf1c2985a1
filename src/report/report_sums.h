/*
 * report_sums.h - prints the tables whose rows are sums of a profile, the largest first: allocation
 * sites, histograms of the heap, and events of any other kind.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "profile/event.h"

struct profile;
struct report_how;

/** Prints the table of allocation sites, if there is one. Errors: 0, -ENOMEM. */
int report_sums_sites(const struct report_how *r, struct profile *profile);
/** Prints the lines that say which histograms there are. */
void report_sums_histo_head(const struct report_how *r, struct profile *profile);
/** Prints the histograms. Errors: 0, -ENOMEM. */
int report_sums_histo(const struct report_how *r, struct profile *profile);
/** Prints the table of a kind of events that has no table of its own in a report: the rows with the
 * largest first value of the kind. Errors: 0; -ENOMEM. */
int report_sums_events(const struct report_how *r, struct profile *profile, enum kind_id kind);
