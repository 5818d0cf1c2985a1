/*
 * jfr_cut.h - `hprof jfr cut` and `scrub`: write a recording again with a part of its events, or
 * without some of its texts.
 *
 * Source of the filters: jdk.jfr, Scrub.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "jfrtool/jfr_range.h"

enum { JFR_CUT_FILTERS = 32 };

/** The property that a filter compares. */
enum jfr_cut_about { JFR_CUT_EVENTS, JFR_CUT_CATEGORIES, JFR_CUT_THREADS };

struct jfr_cut_filter {
    enum jfr_cut_about about;
    bool is_excluding;
    const char *names; /* patterns, separated by commas */
};

struct jfr_cut {
    struct window range;
    struct jfr_cut_filter filters[JFR_CUT_FILTERS]; /* an event must pass all */
    size_t filter_count;
    const char *redact;     /* patterns of texts that are replaced; NULL: none */
    const char *redact_key; /* patterns of keys whose values are replaced; NULL: none */
    const char *output;     /* NULL: the name of the input with `suffix` */
    const char *suffix;     /* as in "-cut" */
};

/** Writes the events and texts that are left into another file. Returns an enum cmd_result. */
int jfr_cut_file(struct jfr_cut *cut, const char *path);
