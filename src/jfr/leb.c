/*
 * leb.c - see leb.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfr/leb.h"
#include <string.h>
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

void leb_skip_numbers(struct leb *l, uint64_t count)
{
    const uint8_t *at = l->at, *end = l->end;

    for (; count > 0; count--) {
        unsigned i = 0;

        while (at < end && *at >= 0x80 && i < JFR_LAYOUT_LEB_MAX - 1) {
            at++;
            i++;
        }
        if (at == end) {
            leb_fail(l);
            return;
        }
        at++;
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
