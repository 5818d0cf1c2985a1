/*
 * search.h - find the place of a number in a sorted array of rows.
 *
 * Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/**
 * How many of `count` rows have a number <= `key`. A row has `size` bytes; its number is a uint64_t
 * at offset `at`, and the rows are sorted by this number.
 */
static inline uint32_t search_upto(const void *rows, uint32_t count, size_t size, size_t at,
                                   uint64_t key)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint64_t number;
        memcpy(&number, (const char *)rows + middle * size + at, sizeof(number));
        if (number <= key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/** search_upto() for an array of structs; `field` is the number. */
#define SEARCH_UPTO(rows, count, field, key)                                                       \
    search_upto((rows), (count), sizeof(*(rows)), offsetof(__typeof__(*(rows)), field), (key))
