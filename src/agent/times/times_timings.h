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
 * Tell a recording how long calls of each method took that have ended since the methods are timed,
 * with their callees; the most expensive method comes first. The tracker's cost in the call itself
 * is subtracted, its cost in the callees is not. `unit_ns`: unit of the clock; *ret_left_out:
 * methods for which the model has no room. Errors: 0, -ENOMEM. Context: java, lock held.
 */
int times_timings_tell(struct agent *a, struct recording *r, const struct times_report_cost *cost,
                       double unit_ns, uint32_t *ret_left_out);
