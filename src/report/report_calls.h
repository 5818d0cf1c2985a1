/*
 * report_calls.h - prints calls of methods (method=, jdk.MethodTrace, jdk.MethodTiming): by method,
 * and the longest calls with what happened while they lasted.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct load_how;
struct profile;
struct report_how;

/** Ask for what the tables need: times, threads, and the sums of jdk.MethodTiming. */
void report_calls_want(struct load_how *how);
/** Whether the profile, read so, has any calls. */
bool report_calls_has(struct profile *profile);
/** Prints the tables below `title`. Errors: 0, -ENOMEM. */
int report_calls(const struct report_how *r, const char *title, struct profile *profile);
