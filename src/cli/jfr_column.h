/*
 * jfr_column.h - what a view asks for, read from its row in jfr_views.def: whose events it takes,
 * and what its columns are.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cli/jfr_amount.h"

enum {
    JFR_COLUMN_TEXT = 256,
    JFR_COLUMN_SOURCES = 8, /* of a view */
    JFR_COLUMN_MAX = 16,
    JFR_COLUMN_EACH = 8, /* of a source's events and conditions */
};

/** What a column makes of the values of its rows. */
enum jfr_column_sum {
    JFR_COLUMN_VALUE, /* the first that is there */
    JFR_COLUMN_COUNT, /* of the events, also of those without a value */
    JFR_COLUMN_TOTAL,
    JFR_COLUMN_AVERAGE,
    JFR_COLUMN_MINIMUM,
    JFR_COLUMN_MAXIMUM,
    JFR_COLUMN_PERCENTILE,
    JFR_COLUMN_DIFFERENCE, /* between the last and the first */
    JFR_COLUMN_LAST,
    JFR_COLUMN_BATCH,  /* the last; rows that were not in the last batch of events are none */
    JFR_COLUMN_UNIQUE, /* how many different ones */
    JFR_COLUMN_SET,    /* the different ones */
};

/** "A=jdk.GCHeapSummary[when=After GC]", the letter and the conditions being there or not. */
struct jfr_column_source {
    char letter; /* '\0': none */
    char events[JFR_COLUMN_TEXT];
    char conditions[JFR_COLUMN_TEXT]; /* '&' parts them; empty: none */
};

/** "Longest=max(BE.duration)": heading, function, sources, and fields of which the first counts
 * that an event has, '|' between them. All but the fields, and of count() these, may be missing. */
struct jfr_column {
    char heading[JFR_COLUMN_TEXT]; /* empty: what the file calls the field */
    char fields[JFR_COLUMN_TEXT];
    enum jfr_column_sum sum;
    uint32_t sources; /* bits; 0: all */
    double percentile;
    int64_t batch_ns; /* of batches: when the last event ended */
    struct jfr_amount_unit unit;
    bool is_share;    /* of all rows together */
    bool has_numbers; /* `unit` is that of a value that came */
};

/** Both read what is in the program itself, and return how many there are. */
uint32_t jfr_column_read_sources(const char *text, struct jfr_column_source *rows);
uint32_t jfr_column_read(const char *text, const struct jfr_column_source *sources,
                         uint32_t source_count, struct jfr_column *rows);
/** The next of `list`, which `part` parts, in `name`, and *list behind it; false at its end. */
bool jfr_column_next(const char **list, char part, char name[JFR_COLUMN_TEXT]);
