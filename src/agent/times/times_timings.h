/*
 * times_timings.h - the shortest, the mean and the longest call of each method of cpu=times.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct agent;
struct recording;
struct times_report_cost;

/**
 * Tell a recording how long the calls of methods took that have ended since methods are timed,
 * each with its callees; the most expensive method first. What the tracker costs in a call is taken
 * off, what it costs in the callees is not. `unit_ns`: of the clock; *ret_left_out: methods that
 * the model has no room for. Errors: 0, -ENOMEM. Context: java, lock held.
 */
int times_timings_tell(struct agent *a, struct recording *r, const struct times_report_cost *cost,
                       double unit_ns, uint32_t *ret_left_out);
