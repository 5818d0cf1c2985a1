/*
 * leb.c - see leb.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfr/leb.h"
#include <string.h>
#include "base/sink.h"
#include "jfr/jfr_layout.h"

uint64_t leb_long_number(struct leb *l)
{
    uint64_t number = 0;
    const uint8_t *at = l->at;
    for (unsigned i = 0; i < JFR_LAYOUT_LEB_MAX; i++) {
        if (at == l->end)
            return leb_fail(l);
        uint64_t byte = *at++;
        if (i == JFR_LAYOUT_LEB_MAX - 1) {
            number |= byte << (7 * i);
        } else {
            number |= (byte & 0x7f) << (7 * i);
            if (byte >= 0x80)
                continue;
        }
        break;
    }
    l->at = at;
    return number;
}

/* Skips numbers eight bytes at a time, as long as at least one number ends in each word, and then
 * goes back to the beginning of the number that the last word cuts. A number of nine bytes is left
 * to the caller, because its last byte does not show that it is the last. `cut` counts the bytes of
 * the number that the words so far have cut. */
static const uint8_t *skip_words(const uint8_t *at, const uint8_t *end, uint64_t *count)
{
    uint64_t word, ends;
    unsigned cut = 0;
    while (*count >= sizeof(word) && (size_t)(end - at) >= sizeof(word)) {
        memcpy(&word, at, sizeof(word));
        ends = ~word & UINT64_C(0x8080808080808080);
        if (ends == 0 || cut + (unsigned)__builtin_ctzll(ends) / 8 >= JFR_LAYOUT_LEB_MAX - 1)
            break;
        cut = (unsigned)__builtin_clzll(ends) / 8;
        /* The highest byte of the product is the sum of the eight bytes. */
        *count -= (ends >> 7) * UINT64_C(0x0101010101010101) >> 56;
        at += sizeof(word);
    }
    return at - cut;
}

void leb_skip_numbers(struct leb *l, uint64_t count)
{
    const uint8_t *at = l->at, *end = l->end;
    while (count > 0) {
        at = skip_words(at, end, &count);
        if (count == 0)
            break;
        for (unsigned i = 0; at < end && *at >= 0x80 && i < JFR_LAYOUT_LEB_MAX - 1; i++)
            at++;
        if (at == end) {
            leb_fail(l);
            return;
        }
        at++;
        count--;
    }
    l->at = at;
}

uint64_t leb_raw(struct leb *l, unsigned bytes)
{
    uint64_t number = 0;
    if (leb_left(l) < bytes)
        return leb_fail(l);
    for (unsigned i = 0; i < bytes; i++)
        number = number << 8 | *l->at++;
    return number;
}

float leb_float(struct leb *l)
{
    uint32_t bits = (uint32_t)leb_raw(l, sizeof(bits));
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

double leb_double(struct leb *l)
{
    uint64_t bits = leb_raw(l, sizeof(bits));
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

size_t leb_write(uint64_t number, uint8_t *ret_bytes)
{
    size_t len = 0;
    for (; number >= 0x80 && len < JFR_LAYOUT_LEB_MAX - 1; number >>= 7)
        ret_bytes[len++] = (uint8_t)(number | 0x80);
    ret_bytes[len++] = (uint8_t)number;
    return len;
}

void leb_put(struct sink *s, uint64_t number)
{
    uint8_t bytes[JFR_LAYOUT_LEB_MAX];
    sink_bytes(s, bytes, leb_write(number, bytes));
}
