/*
 * jvmpi_numbers.h - which numbers are free: the numbers of which ids are made.
 *
 * Numbers are given out 64 at a time. They are neighbours in one word of a map. So a user that
 * makes many ids has a stock of its own and writes their records one behind the other. While less
 * than an eighth of all numbers is free, new numbers are given out and no free ones are searched.
 * This file does not know a JVM.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

enum {
    JVMPI_NUMBERS_NONE = 0,
    JVMPI_NUMBERS_END = 1 << 29, /* all numbers are below */
};

/** Numbers that one user has taken. A zeroed stock is empty. */
struct jvmpi_numbers_stock {
    uint64_t bits; /* bit i: the number first + i is in the stock */
    uint32_t first;
};

/** Fill an empty stock. Returns whether there are numbers. Context: any, not signal. */
int jvmpi_numbers_refill(struct jvmpi_numbers_stock *s);
/** Give a number back. Context: any, not signal. */
void jvmpi_numbers_give(uint32_t number);
/** Give all numbers of the stock back. Context: any, not signal. */
void jvmpi_numbers_give_stock(struct jvmpi_numbers_stock *s);

/** Take a number out of the stock. JVMPI_NUMBERS_NONE: there is none, or no memory. Context: any,
 * not signal. */
static inline uint32_t jvmpi_numbers_take(struct jvmpi_numbers_stock *s)
{
    uint32_t number;
    if (!s->bits && !jvmpi_numbers_refill(s))
        return JVMPI_NUMBERS_NONE;
    number = s->first + (uint32_t)__builtin_ctzll(s->bits);
    s->bits &= s->bits - 1;
    return number;
}
