/*
 * jfr_events.h - `hprof jfr events`: lists the events of JDKs, and what a file has of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { JFR_EVENTS_NAMES = 1024 }; /* bytes of all patterns together */

struct jfr_events {
    unsigned jdk;       /* only events of this JDK; 0: of all JDKs */
    unsigned diff_with; /* print what differs between this JDK and `jdk`; 0: no comparison */
    const char *path;   /* the output; "-": standard output */
    bool is_page;       /* HTML; false: text */
};

/** `words` are names of events, in which * and ? may stand, and files. Returns an enum
 * cmd_result. */
int jfr_events_print(const struct jfr_events *e, const char *const *words, size_t count);
