/*
 * jfr_events.h - `hprof jfr events`: which events there are, and what a file has of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { JFR_EVENTS_NAMES = 1024 }; /* bytes of the patterns together */

struct jfr_events {
    unsigned jdk;       /* of this JDK alone; 0: of all */
    unsigned diff_with; /* what this JDK has otherwise than `jdk`; 0: no comparison */
    const char *path;   /* written there; "-": standard output */
    bool is_page;       /* HTML, else text */
};

/** `words` are names of events, with * and ?, and files. Returns an enum cmd_status. */
int jfr_events_print(const struct jfr_events *e, const char *const *words, size_t count);
