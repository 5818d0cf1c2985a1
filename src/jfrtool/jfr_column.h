/*
 * jfr_column.h - reads the row of a view in jfr_views.def: the sources of its events and its
 * columns.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "jfrtool/jfr_units.h"

enum {
    JFR_COLUMN_TEXT = 256,
    JFR_COLUMN_SOURCES = 8, /* sources of a view */
    JFR_COLUMN_MAX = 16,
    JFR_COLUMN_EACH = 8, /* event types, or conditions, of a source */
};

/** The ways in which a column sums up the values of its rows. */
enum jfr_column_sum {
    JFR_COLUMN_VALUE, /* the first value */
    JFR_COLUMN_COUNT, /* number of events, including events without a value */
    JFR_COLUMN_TOTAL,
    JFR_COLUMN_AVERAGE,
    JFR_COLUMN_MINIMUM,
    JFR_COLUMN_MAXIMUM,
    JFR_COLUMN_PERCENTILE,
    JFR_COLUMN_DIFFERENCE, /* the last value minus the first */
    JFR_COLUMN_LAST,
    JFR_COLUMN_BATCH,  /* the last value; only rows of the last batch of events are shown */
    JFR_COLUMN_UNIQUE, /* number of different values */
    JFR_COLUMN_SET,    /* all different values */
};

/** A source, as in "A=jdk.GCHeapSummary[when=After GC]". The letter and the conditions may be
 * missing. */
struct jfr_column_source {
    char letter; /* '\0': none */
    char events[JFR_COLUMN_TEXT];
    char conditions[JFR_COLUMN_TEXT]; /* separated by '&'; empty: none */
};

/** A column, as in "Longest=max(BE.duration)": heading, function, letters of sources, and fields.
 * Of several fields, separated by '|', the first that an event has is used. Only the fields are
 * needed; count() does not even need fields. */
struct jfr_column {
    char heading[JFR_COLUMN_TEXT]; /* empty: the file's label of the field */
    char fields[JFR_COLUMN_TEXT];
    enum jfr_column_sum sum;
    uint32_t sources; /* bit N: source N; 0: all sources */
    double percentile;
    int64_t batch_ns; /* for batches: when the last event ended */
    struct jfr_units unit;
    bool is_share;    /* shown as a share of all rows together */
    bool has_numbers; /* a number came, and `unit` is its unit */
};

/** Both functions read texts that are part of this program. They return the number of rows that
 * they filled. */
uint32_t jfr_column_read_sources(const char *text, struct jfr_column_source *rows);
uint32_t jfr_column_read(const char *text, const struct jfr_column_source *sources,
                         uint32_t source_count, struct jfr_column *rows);
/** Copies the next item of `list`, whose items `part` separates, into `name`, and moves *list to
 * the item after it. Returns false at the end. */
bool jfr_column_next(const char **list, char part, char name[JFR_COLUMN_TEXT]);
