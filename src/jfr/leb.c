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

/* Of the numbers that end in the eight bytes at `at`, where one begins: how many, and the bytes up
 * to the end of the last. A number of nine bytes has no end there. */
static unsigned count_ends(const uint8_t *at, unsigned *ret_bytes)
{
    uint64_t word, ends;

    memcpy(&word, at, sizeof(word));
    ends = ~word & UINT64_C(0x8080808080808080);
    *ret_bytes = ends != 0 ? (71 - (unsigned)__builtin_clzll(ends)) / 8 : 0;
    return (unsigned)__builtin_popcountll(ends);
}

void leb_skip_numbers(struct leb *l, uint64_t count)
{
    const uint8_t *at = l->at, *end = l->end;

    while (count > 0) {
        unsigned i = 0, bytes;

        while (count >= sizeof(uint64_t) && (size_t)(end - at) >= sizeof(uint64_t) &&
               (i = count_ends(at, &bytes)) > 0) {
            at += bytes;
            count -= i;
        }
        if (count == 0)
            break;
        for (i = 0; at < end && *at >= 0x80 && i < JFR_LAYOUT_LEB_MAX - 1; i++)
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
