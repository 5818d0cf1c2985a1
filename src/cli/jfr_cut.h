/*
 * jfr_cut.h - `hprof jfr cut` and `scrub`: a recording with a part of its events, without some of
 * its texts.
 *
 * Source of the filters: jdk.jfr, Scrub.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "cli/jfr_range.h"

enum { JFR_CUT_FILTERS = 32 };

/** What a filter looks at. */
enum jfr_cut_about { JFR_CUT_EVENTS, JFR_CUT_CATEGORIES, JFR_CUT_THREADS };

struct jfr_cut_filter {
    enum jfr_cut_about about;
    bool is_excluding;
    const char *names; /* patterns, comma-separated */
};

struct jfr_cut {
    struct window range;
    struct jfr_cut_filter filters[JFR_CUT_FILTERS]; /* an event must pass all */
    size_t filter_count;
    const char *redact;     /* patterns of texts that are left out; NULL: none */
    const char *redact_key; /* patterns of keys whose values are; NULL: none */
    const char *output;     /* NULL: the name of the input with `suffix` */
    const char *suffix;     /* "-cut" */
};

/** Writes what is left of a file into another one. Returns an enum cmd_status. */
int jfr_cut_file(struct jfr_cut *cut, const char *path);
