/*
 * progress.h - shows on a terminal how much of a long work is done.
 *
 * The line is shown only if standard error is a terminal and the work takes longer than a second.
 * The line is removed when the work is done.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *what; /* the name of a file; borrowed */
    uint64_t whole;   /* all bytes of the work; 0: unknown, and nothing is shown */
    uint64_t began_ns, told_ns;
    bool is_shown;
};

struct progress progress_begin(const char *what, uint64_t whole);
/** Says how many bytes are done. */
void progress_tell(struct progress *p, uint64_t done);
/** Removes the line. */
void progress_end(struct progress *p);
