/*
 * rate.h - how many things of a burst are sampled.
 *
 * Time is divided into windows. In each window all of the first things are taken. After that the
 * n-th thing is taken with a probability that falls as 1/n, and it counts for n things. The
 * probability of each thing is known before the random number is drawn, so sums are right on
 * average, and the cost of a burst grows with its logarithm. A rate that learns begins a window
 * with the probability that was right for the window before. So the rate is a bound on average, and
 * only the first window of a burst costs more.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct rate {
    uint64_t window_ns;
    /* things taken in each window before the first one is left out; 1 at least */
    uint32_t whole;
    bool learns;
    /* what was learned: the weight of the first things of a window; 0 means 1 */
    _Atomic uint32_t least;
    _Atomic uint64_t window; /* number of the current window */
    _Atomic uint64_t seen;   /* things in the current window */
    _Atomic uint64_t random;
};

/** Prepare a rate that learns. `per_s` things are taken each second; it is above 0; HUGE_VAL takes
 * all. */
void rate_init(struct rate *r, double per_s);
/** One of how many things is to be taken at `now_ns`; 1 at the beginning of a window. Counts
 * `things` things as seen. Context: any; many threads may ask at once. */
uint32_t rate_weight(struct rate *r, uint64_t now_ns, uint64_t things);
/** For how many things the thing at `now_ns` stands; 0: the thing is left out. Many threads may ask
 * at once. Context: any. */
uint32_t rate_take(struct rate *r, uint64_t now_ns);
