/*
 * times_report.h - writes the tables of cpu=times from its trees.
 *
 * Self times are corrected for the cost of entering and leaving a method: see docs/times-how.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

struct agent;
struct recording;
struct options;

/** The cost of the tracker in ns a call: between the two clock reads, and outside of them. */
struct times_report_cost {
    double inside, outside;
};

struct times_report_totals {
    uint64_t calls;                /* calls that have ended */
    uint64_t raw_ns, corrected_ns; /* sums of all their self times */
    uint64_t open_calls, open_ns;  /* calls that are open, and their time so far */
    /* calls that waited, ended or not; not part of the values above */
    uint64_t waits, wait_ns;
    uint64_t shallow_calls;        /* part of `calls`: counted only for their method */
    uint64_t lost_calls;           /* calls for which the model had no memory */
    struct times_report_cost cost; /* the cost that was subtracted; 0 if it is not known */
};

/** How many methods of a path the table of these options shows. */
uint32_t times_report_depth(const struct options *o);
/**
 * Write the table in the options' format for the time since the recording's last table, and begin
 * the next period. `counts_only`: there are no times, and rows are ordered by calls. `is_apart`:
 * methods that wait have tables of their own. Errors: 0, -ENOMEM. Context: java, lock held.
 */
int times_report_write(struct agent *a, struct recording *r, const struct times_report_cost *cost,
                       int counts_only, bool is_apart, struct times_report_totals *ret);

/*
 * times_calibrate.c: measures what the probes of an injected method cost in one call.
 */

/**
 * Measure for `budget_ns` of CPU time, and return the smallest cost that was ever measured in this
 * VM. `is_last`: there is no later measurement, so wait up to a tenth of a second for the compilers
 * if they have not compiled the tracker yet. `is_too_coarse`: the clock cannot tell which part of
 * the cost lies inside the call's own time; half of it is taken. The tracker is defined already.
 * Context: java.
 */
struct times_report_cost times_calibrate(JNIEnv *env, uint64_t budget_ns, bool is_last,
                                         bool is_too_coarse);

/*
 * times_timings.c: the shortest, the mean and the longest call of each method of cpu=times.
 */

/**
 * Tell a recording how long calls of each method took that have ended since the methods are timed,
 * with their callees; the most expensive method comes first. The tracker's cost in the call itself
 * is subtracted, its cost in the callees is not. `unit_ns`: unit of the clock; *ret_left_out:
 * methods for which the model has no room. Errors: 0, -ENOMEM. Context: java, lock held.
 */
int times_timings_tell(struct agent *a, struct recording *r, const struct times_report_cost *cost,
                       double unit_ns, uint32_t *ret_left_out);
