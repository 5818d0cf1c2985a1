/*
 * times_report.h - from the trees of cpu=times to the tables.
 *
 * Self times are corrected for what entering and leaving a method costs: see docs/times-how.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct agent;
struct recording;
struct options;

/** What the tracker costs, in ns a call: between the two clock reads, and outside of them. */
struct times_report_cost {
    double inside, outside;
};

struct times_report_totals {
    uint64_t calls;                /* that have ended */
    uint64_t raw_ns, corrected_ns; /* of all their self times */
    uint64_t open_calls, open_ns;  /* that have not, and what they took so far */
    uint64_t waits, wait_ns;       /* calls that waited, ended or not: in none of the above */
    uint64_t shallow_calls;        /* of `calls`: counted for their method alone */
    uint64_t lost_calls;           /* for which the model had no memory */
    struct times_report_cost cost; /* that was taken off; 0 where what was measured cannot be */
};

/** How many methods of a path the table of these options names. */
uint32_t times_report_depth(const struct options *o);
/**
 * Write the table of the options' format, for the time since the recording's last one, and begin
 * the next. With `counts_only` there are no times, and calls are what rows are ranked by. With
 * `is_apart` methods that wait have tables of their own. Errors: 0, -ENOMEM. Context: java, lock
 * held.
 */
int times_report_write(struct agent *a, struct recording *r, const struct times_report_cost *cost,
                       int counts_only, bool is_apart, struct times_report_totals *ret);
