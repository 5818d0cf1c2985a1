/*
 * bitrank.h - a set of numbers, as bits, that tells how many of its members are below a number.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "heap/addrmap.h"
#include "heap/heapnode.h"
#include "heap/heaproom.h"

struct bitrank {
    uint64_t *words;
    heapnode *before; /* members in front of each word; after bitrank_seal() */
    uint64_t word_count;
};

/** An empty set of numbers below `bits`. Errors: 0; E_LIMIT. Owner: bitrank_done(). */
int bitrank_init(struct bitrank *b, struct heaproom *room, uint64_t bits);
void bitrank_done(struct bitrank *b, struct heaproom *room);
/** Counts the members, so that bitrank_below() can answer; again after changes. Returns the count
 * of all. Errors: E_LIMIT. */
int64_t bitrank_seal(struct bitrank *b, struct heaproom *room);

static inline bool bitrank_has(const struct bitrank *b, uint64_t number)
{
    return b->words[number / 64] >> number % 64 & 1;
}

static inline void bitrank_add(struct bitrank *b, uint64_t number)
{
    b->words[number / 64] |= UINT64_C(1) << number % 64;
}

/** How many members are lower than `number`. */
static inline heapnode bitrank_below(const struct bitrank *b, uint64_t number)
{
    uint64_t word = number / 64;
    return b->before[word] + addrmap_bits(b->words[word] & ((UINT64_C(1) << number % 64) - 1));
}
