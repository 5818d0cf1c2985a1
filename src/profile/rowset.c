/*
 * rowset.c - see rowset.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/rowset.h"
#include <errno.h>

enum { WORD_BITS = 64 };

void rowset_init(struct rowset *s)
{
    table_init(&s->words, sizeof(uint64_t));
}

static uint64_t bit_of(uint32_t row)
{
    return UINT64_C(1) << row % WORD_BITS;
}

/* The word with this index; 0 if the set has no such word yet. */
static uint64_t word_of(const struct rowset *s, uint32_t index)
{
    return index < s->words.count ? *(const uint64_t *)table_at(&s->words, index + 1) : 0;
}

int rowset_grow(struct rowset *s, struct arena *a, uint32_t row)
{
    return table_reach(&s->words, a, row / WORD_BITS + 1) ? 0 : -ENOMEM;
}

int rowset_add(struct rowset *s, struct arena *a, uint32_t row)
{
    uint64_t *word = table_reach(&s->words, a, row / WORD_BITS + 1);
    if (!word)
        return -ENOMEM;
    *word |= bit_of(row);
    return 0;
}

bool rowset_has(const struct rowset *s, uint32_t row)
{
    return (word_of(s, row / WORD_BITS) & bit_of(row)) != 0;
}

void rowset_clear(struct rowset *s)
{
    for (uint32_t i = 1; i <= s->words.count; i++)
        *(uint64_t *)table_at(&s->words, i) = 0;
}

uint32_t rowset_next(const struct rowset *s, const struct rowset *without, uint32_t row)
{
    uint64_t from;
    if (row == 0)
        row = 1;
    from = ~UINT64_C(0) << row % WORD_BITS;
    for (uint32_t i = row / WORD_BITS; i < s->words.count; i++, from = ~UINT64_C(0)) {
        uint64_t word = word_of(s, i) & ~word_of(without, i) & from;
        if (word)
            return i * WORD_BITS + (uint32_t)__builtin_ctzll(word);
    }
    return 0;
}
