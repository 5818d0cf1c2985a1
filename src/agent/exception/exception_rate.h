/*
 * exception_rate.h - how many of a burst of exceptions are looked at.
 *
 * In each window of time the first ones are taken, all; the n-th is then taken with a probability
 * that falls as 1/n, and counts for as many as that. The probability of each is known before it is
 * drawn, so sums are right on average, and a burst costs as its logarithm.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdint.h>

enum {
    EXCEPTION_RATE_WINDOW_NS = 10000000,
    EXCEPTION_RATE_WHOLE = 25, /* taken in each window before any is left out */
};

struct exception_rate {
    _Atomic uint64_t window; /* number of the present one */
    _Atomic uint32_t seen;   /* in it */
    _Atomic uint64_t random;
};

/** For how many the exception at `now_ns` stands; 0: it is left out. Context: any. */
uint32_t exception_rate_take(struct exception_rate *r, uint64_t now_ns);
