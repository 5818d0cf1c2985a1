/*
 * report_leaks.h - prints which native memory was not freed, by the stack that allocated it, with
 * its age.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct profile;
struct report_how;

/**
 * Prints the table below `title`, and tables of methods. Ages are printed if the profile was read
 * with its times. Errors: 0, -ENOMEM.
 */
int report_leaks(const struct report_how *r, const char *title, struct profile *profile);
