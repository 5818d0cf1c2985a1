/*
 * diff.h - compares two profiles method by method, and finds differences that are more than chance.
 *
 * The share of a method in all samples is an estimate. Its change therefore gets an interval: with
 * a probability of 95 %, the changes of all methods lie in their intervals at once. The interval is
 * that of Agresti and Caffo for two proportions; its error probability is divided by the number of
 * intervals (Bonferroni). If the interval contains 0, the change is noise.
 *
 * Other values are exact sums of one run each. How much they vary from run to run is unknown, so
 * they have no interval and are never noise.
 * Source: Agresti, Caffo, "Simple and effective confidence intervals for proportions", 2000.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "profile/event.h"

struct convert;
struct profile;

enum { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };
enum diff_measure { DIFF_SELF, DIFF_TOTAL, DIFF_MEASURES };

/** The change of one measure of one method, in percent of the whole profile. */
struct diff_change {
    double percent[DIFF_SIDES];
    double change, low, high; /* `low` and `high` are the interval, if there is one */
    bool is_noise;
};

struct diff_row {
    char *method; /* for example java.lang.String.length */
    uint64_t value[DIFF_MEASURES][DIFF_SIDES];
    struct diff_change change[DIFF_MEASURES];
};

struct diff {
    enum kind_id kind;
    uint32_t value;   /* index of the value in the kind */
    bool is_absolute; /* both sides are in percent of the first profile's sum */
    bool with_hidden;
    bool has_intervals;
    uint64_t whole[DIFF_SIDES];
    struct diff_row *rows;
    size_t count;
};

/**
 * Compares one value of a kind. The caller fills in kind, value, is_absolute and with_hidden.
 * Errors: 0; -ENOMEM. Owner: diff_done(), also after an error.
 */
int diff_make(struct diff *d, struct profile *const profiles[DIFF_SIDES]);
void diff_done(struct diff *d);
/** Sorts the rows: first changes that are not noise, the largest first, then the others. Equal
 * changes are sorted by name. */
void diff_sort(struct diff *d, enum diff_measure measure);
/** How many methods have changed. If intervals are known, changes that are noise do not count. */
size_t diff_changed(const struct diff *d);
/** A row that grew by more than `percent` of the whole profile, in no order; NULL: none. */
const struct diff_row *diff_find_above(const struct diff *d, double percent);
/**
 * Writes a flame graph that shows the differences of two profiles: the page that `c` names, for the
 * series c->series, with the differences that `diff` has found between the two files. Frames with
 * the same name are the same frame, even if the code was compiled differently in each run. Errors:
 * 0, or negative after saying why.
 */
int diff_write_page(const struct convert *c, const struct diff *diff,
                    struct profile *const profiles[], const char *const files[]);
