/*
 * stop_bound.h - how long a process may be stopped from outside, and whether that time is over.
 *
 * The time counts from the moment when the first thread is asked to stop. Code that waits for
 * threads or reads memory meanwhile checks the bound, and lets the process go when the time is
 * over. (To let thousands of threads go takes some milliseconds more.) The bound reads no clock:
 * callers give the time.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct stop_bound {
    uint64_t most_ns;  /* 0: there is no bound */
    uint64_t begin_ns; /* begin of the stop, CLOCK_MONOTONIC; set by stop_bound_begin() */
    bool was_over;     /* stop_bound_is_over() has returned true since then */
};

/** Begin a stop at `now_ns`. */
void stop_bound_begin(struct stop_bound *b, uint64_t now_ns);
/** Whether the time is over at `now_ns`. Once it is over, it stays over until the next stop. */
bool stop_bound_is_over(struct stop_bound *b, uint64_t now_ns);
