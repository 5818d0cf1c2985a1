/*
 * rate.h - how many of a burst of things are looked at.
 *
 * In each window of time the first ones are taken, all; the n-th is then taken with a probability
 * that falls as 1/n, and counts for as many as that. The probability of each is known before it is
 * drawn, so sums are right on average, and a burst costs as its logarithm.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdint.h>

struct rate {
    uint64_t window_ns;
    uint32_t whole;          /* taken in each window before any is left out, 1 at least */
    _Atomic uint64_t window; /* number of the present one */
    _Atomic uint32_t seen;   /* in it */
    _Atomic uint64_t random;
};

/** How many things are to have one of them taken, at `now_ns`: 1 for the first ones of a window.
 * Context: as below. */
uint32_t rate_weight(struct rate *r, uint64_t now_ns);
/** For how many the thing at `now_ns` stands; 0: it is left out. Many threads may ask at once.
 * Context: any. */
uint32_t rate_take(struct rate *r, uint64_t now_ns);
