/*
 * rate.h - how many of a burst of things are looked at.
 *
 * In each window of time all of the first things are taken; the n-th thing is then taken with a
 * probability that falls as 1/n, and counts for as many things as that. The probability of each is
 * known before it is drawn, so sums are right on average, and a burst costs as its logarithm. A
 * rate that learns begins a window with the probability that was right for the one before: so it is
 * a bound, on average, and only the first window of a burst costs more.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct rate {
    uint64_t window_ns;
    uint32_t whole; /* taken in each window before any is left out, 1 at least */
    bool learns;
    _Atomic uint32_t least;  /* what was learned: weight of the first things of a window; 0: 1 */
    _Atomic uint64_t window; /* number of the present window */
    _Atomic uint64_t seen;   /* things in the present window */
    _Atomic uint64_t random;
};

/** A rate that learns, of `per_s` things a second: above 0; HUGE_VAL takes all. */
void rate_init(struct rate *r, double per_s);
/** Of how many things one is to be taken at `now_ns`, of 1 while a window is new; the next one is
 * looked at as behind `things` more. Context: as below. */
uint32_t rate_weight(struct rate *r, uint64_t now_ns, uint64_t things);
/** For how many things the thing at `now_ns` stands; 0: the thing is left out. Many threads may ask
 * at once. Context: any. */
uint32_t rate_take(struct rate *r, uint64_t now_ns);
