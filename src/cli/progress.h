/*
 * progress.h - how far a long work is, on a terminal.
 *
 * Only where standard error is one, and only for work that takes longer than a second; the line is
 * gone when the work is done. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *what; /* a file's name; borrowed */
    uint64_t whole;   /* bytes; 0: unknown, nothing is shown */
    uint64_t began_ns, told_ns;
    bool is_shown;
};

struct progress progress_begin(const char *what, uint64_t whole);
/** So many bytes are done. */
void progress_tell(struct progress *p, uint64_t done);
/** Takes the line away. */
void progress_end(struct progress *p);
