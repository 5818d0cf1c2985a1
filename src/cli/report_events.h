/*
 * report_events.h - a table for each kind of event that has none of its own in a report.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "profile/event.h"

struct profile;
struct report_how;

/** The rows with most of the kind's first value. Errors: 0; -ENOMEM. */
int report_events(const struct report_how *r, struct profile *profile, enum kind_id kind);
