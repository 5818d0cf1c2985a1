/*
 * stop_bound.h - how long a process may be stopped from outside, and whether that time is over.
 *
 * The time counts from when the first thread is asked to stop. Whoever waits for threads or reads
 * memory meanwhile asks here, and lets the process go when it is over: letting thousands of threads
 * go takes some milliseconds more. Knows no clock: callers give the time.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct stop_bound {
    uint64_t most_ns;  /* 0: there is no bound */
    uint64_t begin_ns; /* of the stop, CLOCK_MONOTONIC; set by stop_bound_begin() */
    bool was_over;     /* stop_bound_is_over() has said so since then */
};

/** A stop begins at `now_ns`. */
void stop_bound_begin(struct stop_bound *b, uint64_t now_ns);
/** Whether the process has to go on at `now_ns`. Once it has, it stays so until the next stop. */
bool stop_bound_is_over(struct stop_bound *b, uint64_t now_ns);
