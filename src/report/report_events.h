/*
 * report_events.h - prints a table for each kind of event that has no table of its own in a report.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "profile/event.h"

struct profile;
struct report_how;

/** Prints the rows with the largest first value of the kind. Errors: 0; -ENOMEM. */
int report_events(const struct report_how *r, struct profile *profile, enum kind_id kind);
