/*
 * bitrank.c - a set of numbers with ranks.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/bitrank.h"
#include "base/err.h"

int bitrank_init(struct bitrank *b, struct heaproom *room, uint64_t bits)
{
    /* One number more, so that the rank of the end can be asked. */
    uint64_t words = bits / 64 + 1;
    *b = (struct bitrank){.word_count = words};
    b->words = heaproom_take(room, words * sizeof(*b->words));
    return b->words ? 0 : E_LIMIT;
}

void bitrank_done(struct bitrank *b, struct heaproom *room)
{
    heaproom_give(room, b->words, b->word_count * sizeof(*b->words));
    heaproom_give(room, b->before, b->word_count * sizeof(*b->before));
    *b = (struct bitrank){0};
}

int64_t bitrank_seal(struct bitrank *b, struct heaproom *room)
{
    uint64_t count = 0;
    if (!b->before)
        b->before = heaproom_take(room, b->word_count * sizeof(*b->before));
    if (!b->before)
        return E_LIMIT;
    for (uint64_t i = 0; i < b->word_count; i++) {
        b->before[i] = (heapnode)count;
        count += addrmap_bits(b->words[i]);
    }
    return (int64_t)count;
}
