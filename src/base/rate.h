/*
 * rate.h - how many of a burst of things are looked at.
 *
 * In each window of time all of the first things are taken; the n-th thing is then taken with a
 * probability that falls as 1/n, and counts for as many things as that. The probability of each is
 * known before it is drawn, so sums are right on average, and a burst costs as its logarithm.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdint.h>

struct rate {
    uint64_t window_ns;
    uint32_t whole;          /* taken in each window before any is left out, 1 at least */
    _Atomic uint64_t window; /* number of the present window */
    _Atomic uint32_t seen;   /* things in the present window */
    _Atomic uint64_t random;
};

/** Of how many things one is to be taken at `now_ns`: of 1 while a window is new.
 * Context: as below. */
uint32_t rate_weight(struct rate *r, uint64_t now_ns);
/** For how many things the thing at `now_ns` stands; 0: the thing is left out. Many threads may ask
 * at once. Context: any. */
uint32_t rate_take(struct rate *r, uint64_t now_ns);
