/*
 * report_io.h - prints what a program read and wrote: by file or peer, and by place.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct profile;
struct report_how;

/**
 * Prints the report below `title`. The longest calls are known only if the profile was read with
 * times. Errors: 0; -ENOMEM.
 */
int report_io(const struct report_how *r, const char *title, struct profile *profile);
