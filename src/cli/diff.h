/*
 * diff.h - two profiles compared method by method, and which differences are more than chance.
 *
 * Shares of samples come with an interval in which, for all methods at once, the change lies with a
 * probability of 95 %: Agresti and Caffo's for two proportions, its level divided by the number of
 * intervals (Bonferroni). What holds 0 is noise. Other values are sums of one run each, of which
 * nobody knows how they vary: they have no interval, and none is noise.
 * Source: Agresti, Caffo, "Simple and effective confidence intervals for proportions", 2000.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "profile/event.h"

struct profile;

enum { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };
enum diff_measure { DIFF_SELF, DIFF_TOTAL, DIFF_MEASURES };

/** A change in percent of all. */
struct diff_change {
    double percent[DIFF_SIDES];
    double change, low, high; /* the latter two: the interval, where there is one */
    bool is_noise;
};

struct diff_row {
    char *method; /* java.lang.String.length */
    uint64_t value[DIFF_MEASURES][DIFF_SIDES];
    struct diff_change change[DIFF_MEASURES];
};

struct diff {
    enum kind_id kind;
    uint32_t value;   /* which of the kind's */
    bool is_absolute; /* percents are those of the first profile's sum in both */
    bool with_hidden;
    bool has_intervals;
    uint64_t whole[DIFF_SIDES];
    struct diff_row *rows;
    size_t count;
};

/**
 * Compares a value of a kind; the caller fills in kind, value, is_absolute and with_hidden.
 * Errors: 0; -ENOMEM. Owner: diff_done(), also after an error.
 */
int diff_make(struct diff *d, struct profile *const profiles[DIFF_SIDES]);
void diff_done(struct diff *d);
/** The largest changes that are no noise first, then the others; equal ones by name. */
void diff_sort(struct diff *d, enum diff_measure measure);
/** How many methods have changed, by more than chance explains where that is known. */
size_t diff_changed(const struct diff *d);
/** The first row, in no order, that grew by more than so many percent of all; NULL: none. */
const struct diff_row *diff_find_above(const struct diff *d, double percent);
