/*
 * report_monitors.h - prints the last MONITOR DUMP of a profile for people.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct profile;
struct report_how;

/** Prints "  8 threads at the last dump: 3 runnable, 1 blocked", if there is a dump. */
void report_monitors_head(const struct report_how *r, struct profile *profile);
/** Prints the monitors that a thread owns or waits for, and deadlocks. Errors: 0, -ENOMEM. */
int report_monitors(const struct report_how *r, struct profile *profile);
