/*
 * report_ttsp.h - prints how long the VM waited for threads to come to safepoints: how often for
 * how long, the worst, and the methods that kept it waiting.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct profile;
struct report_how;

/**
 * Prints the tables below `title`. The first two need the times of the events: without them only
 * the sums are printed. Errors: 0, -ENOMEM.
 */
int report_ttsp(const struct report_how *r, const char *title, struct profile *profile);
