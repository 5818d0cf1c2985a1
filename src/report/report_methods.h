/*
 * report_methods.h - prints tables of methods by their share of a cost, and the hottest stacks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;
struct report_how;
struct summary_row;

/** The quantity that the tables count. */
struct report_methods {
    const char *table;  /* the name of the table as data: "methods" */
    const char *of;     /* text after the headings: "", or ": cpu=times" */
    const char *unit;   /* the heading of the cost: samples, ms */
    uint64_t per_unit;  /* cost in one unit */
    const char *counts; /* the heading of the count; NULL: no such column */
    uint64_t whole;     /* the cost that is 100 % */
    double percent_cut; /* percent of stacks without outer frames, which totals miss */
    bool is_inclusive;  /* costs include those of callees: no shares, no totals */
};

/**
 * Prints the tables of methods by their own and by their total cost, and the hottest stacks. Sorts
 * the rows. Errors: 0, -ENOMEM.
 */
int report_methods(const struct report_how *r, const struct report_methods *m,
                   struct profile *profile, struct summary_row *rows, size_t count);
/** Prints a line for each of the tables of cpu=times, cpu=old and MONITOR TIME that the file has.
 * Errors: 0, -ENOMEM. */
int report_methods_times_head(const struct report_how *r, struct profile *profile);
/** Prints these tables. Errors: 0, -ENOMEM. */
int report_methods_times(const struct report_how *r, struct profile *profile);
