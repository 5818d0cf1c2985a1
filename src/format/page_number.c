/*
 * page_number.c - see page_number.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/page_number.h"
#include "base/sink.h"

enum { ONE = 50, TWO = 80, THREE = 88, DIGITS_MAX = 10 };

static const uint64_t base = 90;

uint8_t page_number_digit(uint32_t number)
{
    unsigned code = '#' + number;
    code += code >= '<';
    return (uint8_t)(code + (code >= '\\'));
}

static void put_digits(struct sink *s, uint64_t number, int count)
{
    uint8_t digits[DIGITS_MAX];
    for (int i = count; i > 0; i--, number /= base)
        digits[i - 1] = page_number_digit((uint32_t)(number % base));
    sink_bytes(s, digits, (size_t)count);
}

void page_number_put(struct sink *s, uint64_t number)
{
    const uint64_t two_from = ONE, three_from = two_from + (TWO - ONE) * base,
                   five_from = three_from + (THREE - TWO) * base * base,
                   ten_from = base * base * base * base * base;
    if (number < two_from) {
        put_digits(s, number, 1);
    } else if (number < three_from) {
        put_digits(s, number - two_from + ONE * base, 2);
    } else if (number < five_from) {
        put_digits(s, number - three_from + TWO * base * base, 3);
    } else if (number < ten_from) {
        put_digits(s, THREE, 1);
        put_digits(s, number, 5);
    } else {
        put_digits(s, THREE + 1, 1);
        put_digits(s, number, DIGITS_MAX);
    }
}
