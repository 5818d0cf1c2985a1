/*
 * jvmpi_numbers.h - which numbers are free: what ids are made of.
 *
 * Numbers are given out 64 at a time, neighbours that lie in one word of a map, so who makes many
 * ids has a stock of his own, and writes their records one behind the other. While less than an
 * eighth of all numbers is free, new ones are given out instead of looking for those that are.
 * Knows no JVM. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

enum {
    JVMPI_NUMBERS_NONE = 0,
    JVMPI_NUMBERS_END = 1 << 29, /* all lie below */
};

/** Numbers that one user has taken; zeroed: none. */
struct jvmpi_numbers_stock {
    uint64_t bits; /* bit i: first + i is in it */
    uint32_t first;
};

/** Fill an empty stock. Returns whether there are any numbers. Context: any, not signal. */
int jvmpi_numbers_refill(struct jvmpi_numbers_stock *s);
/** A number is free again. Context: any, not signal. */
void jvmpi_numbers_give(uint32_t number);
/** All that are in the stock are free again. */
void jvmpi_numbers_give_stock(struct jvmpi_numbers_stock *s);

/** A number that is nobody's; NONE: there is none, or no memory. Context: as for the stock. */
static inline uint32_t jvmpi_numbers_take(struct jvmpi_numbers_stock *s)
{
    uint32_t number;
    if (!s->bits && !jvmpi_numbers_refill(s))
        return JVMPI_NUMBERS_NONE;
    number = s->first + (uint32_t)__builtin_ctzll(s->bits);
    s->bits &= s->bits - 1;
    return number;
}
