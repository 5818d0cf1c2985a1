/*
 * sampled.h - for how much a sampled block of memory stands.
 *
 * Blocks are sampled at random points of the allocated bytes, `interval` bytes apart on average. A
 * block of b bytes is hit with the probability p = 1 - exp(-b / interval), so it stands for b / p
 * bytes and 1 / p blocks (Horvitz and Thompson). Sums of these numbers are right on average. They
 * are rounded up or down with a probability that keeps this true. The block's address and time
 * decide, which are in the file, so the writer and the readers of a file get the same numbers.
 * Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct sampled {
    uint64_t bytes, count;
};

/** The probability that a block of `bytes` is a sample. With an interval of 0 or 1 each block is.
 */
double sampled_hit(uint64_t bytes, uint64_t interval);
/** What a sampled block stands for. With an interval of 0 or 1 it stands for itself. */
struct sampled sampled_of(uint64_t bytes, uint64_t interval, uint64_t address, uint64_t time);
