/*
 * heaptrend.h - rows of the same name in several summaries of a heap, and how they grow.
 *
 * The slope is that of a straight line through all points by least squares. Its interval is the
 * range in which the slope lies with a probability of 95 %, if what is beside the line is noise of
 * one kind. Source of the formulas: any text on linear regression; quantiles of Student's t.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct heapsummary;
struct heapsummary_row;
struct heapsummary_rows;

enum {
    HEAPTREND_LEAST = 4, /* points from which on a slope is computed */
    HEAPTREND_MOST = 64, /* summaries */
};

struct heaptrend_slope {
    double per_hour, low, high;
};

/**
 * The slope of `count` values at `hours`. Returns false if there are too few points, or all have
 * the same time.
 */
bool heaptrend_slope(const double *hours, const double *values, uint32_t count,
                     struct heaptrend_slope *ret_slope);

/** A class, path or site in all summaries. */
struct heaptrend_row {
    const char *name;                  /* borrowed from a summary */
    const struct heapsummary_row **at; /* by summary; NULL: this one does not have it */
};

struct heaptrend {
    struct heaptrend_row *rows; /* sorted by name */
    uint32_t count;
    const struct heapsummary_row **cells;
};

/** Joins the rows of several summaries, which are sorted by name. Errors: 0; E_LIMIT. Owner:
 * heaptrend_done(), also after an error. */
int heaptrend_join(const struct heapsummary_rows *const *rows, uint32_t summaries,
                   struct heaptrend *ret_trend);
void heaptrend_done(struct heaptrend *t);
