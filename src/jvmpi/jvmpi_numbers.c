/*
 * jvmpi_numbers.c - see jvmpi_numbers.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_numbers.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include "base/lock.h"
#include "base/pages.h"

enum {
    WORD = 64, /* numbers in a word of the map */
    WORDS = JVMPI_NUMBERS_END / WORD,
    /* free numbers are searched when more than one in SHARE of the given numbers is free */
    SHARE = 8,
};

static struct {
    struct lock lock; /* guards `used` and `at` */
    /* bit i of word w: the number w * WORD + i is free; NULL: no word is used */
    _Atomic uint64_t *map;
    uint32_t used;                 /* words that were given out once */
    uint32_t at;                   /* the word in which free numbers were found last */
    _Atomic uint32_t free_numbers; /* count of free numbers in the map */
} numbers = {.lock = LOCK_INIT(JVMPI_NUMBERS)};

/* Fill the stock with new numbers. Needs the lock. */
static int take_new(struct jvmpi_numbers_stock *s)
{
    if (!numbers.map)
        numbers.map = pages_map(WORDS * sizeof(*numbers.map));
    if (!numbers.map || numbers.used == WORDS)
        return 0;
    s->first = numbers.used * WORD;
    s->bits = numbers.used++ == 0 ? ~(uint64_t)1 : ~(uint64_t)0; /* without the number NONE */
    return 1;
}

/* Fill the stock with free numbers. The search makes one round at most, because other threads give
 * numbers back meanwhile. Needs the lock. */
static int take_free(struct jvmpi_numbers_stock *s)
{
    for (uint32_t i = 0; i < numbers.used; i++) {
        numbers.at = numbers.at + 1 < numbers.used ? numbers.at + 1 : 0;
        if (atomic_load_explicit(&numbers.map[numbers.at], memory_order_relaxed) == 0)
            continue;
        s->first = numbers.at * WORD;
        s->bits = atomic_exchange(&numbers.map[numbers.at], 0);
        atomic_fetch_sub(&numbers.free_numbers, (uint32_t)__builtin_popcountll(s->bits));
        return 1;
    }
    return 0;
}

int jvmpi_numbers_refill(struct jvmpi_numbers_stock *s)
{
    uint32_t free_numbers = atomic_load(&numbers.free_numbers);
    bool is_filled;
    lock_take(&numbers.lock);
    if (free_numbers > numbers.used * (WORD / SHARE))
        is_filled = take_free(s) || take_new(s);
    else
        is_filled = take_new(s) || (free_numbers > 0 && take_free(s));
    lock_give(&numbers.lock);
    return is_filled;
}

static void give(uint32_t word, uint64_t bits)
{
    atomic_fetch_add(&numbers.free_numbers, (uint32_t)__builtin_popcountll(bits));
    atomic_fetch_or(&numbers.map[word], bits);
}

void jvmpi_numbers_give(uint32_t number)
{
    give(number / WORD, (uint64_t)1 << number % WORD);
}

void jvmpi_numbers_give_stock(struct jvmpi_numbers_stock *s)
{
    if (s->bits)
        give(s->first / WORD, s->bits);
    s->bits = 0;
}
