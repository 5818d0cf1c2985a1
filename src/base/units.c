/*
 * units.c - numbers with units: see units.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/units.h"
#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include "safe/clock.h"

/* A row is a unit: the suffix of the number, and the factor. The factor 0 ends a table. */
struct unit {
    const char *suffix;
    uint64_t factor;
};

static const struct unit durations[] = {
    {"ns", 1},          {"us", NS_PER_US},    {"ms", NS_PER_MS},    {"s", NS_PER_S},
    {"m", 60000000000}, {"min", 60000000000}, {"h", 3600000000000}, {"d", 86400000000000},
    {NULL, 0},
};
/* Digits after the point that count. A nanosecond as a part of a day needs 14 digits. */
enum { FRACTION_DIGITS = 9 };
static const struct unit sizes[] = {
    {"", 1},        {"k", 1 << 10}, {"K", 1 << 10}, {"m", 1 << 20},
    {"M", 1 << 20}, {"g", 1 << 30}, {"G", 1 << 30}, {NULL, 0},
};

/* Parse the digits after a point: the fraction is *ret_value / *ret_parts. Returns the rest of the
 * text; NULL: there are no digits. */
static const char *parse_fraction(const char *at, uint64_t *ret_value, uint64_t *ret_parts)
{
    const char *first = at;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (at - first >= FRACTION_DIGITS)
            continue;
        *ret_value = *ret_value * 10 + (uint64_t)(*at - '0');
        *ret_parts *= 10;
    }
    return at == first ? NULL : at;
}

/* Parse digits, with `has_fraction` also a point and digits, then one unit, then the end. `bare` is
 * the factor of a number without a unit; 0: a unit is required. */
static int parse(const char *text, const struct unit *units, uint64_t bare, bool has_fraction,
                 uint64_t max, uint64_t *ret_value)
{
    uint64_t value = 0, fraction = 0, parts = 1;
    bool too_large = false;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++) {
        unsigned digit = (unsigned)(*at - '0');
        if (value > (max - digit) / 10)
            too_large = true;
        else
            value = value * 10 + digit;
    }
    if (at == text)
        return E_SYNTAX;
    if (has_fraction && *at == '.')
        at = parse_fraction(at + 1, &fraction, &parts);
    if (!at)
        return E_SYNTAX;
    uint64_t factor = *at == '\0' ? bare : 0;
    for (const struct unit *u = units; u->suffix && factor == 0; u++) {
        if (strcmp(at, u->suffix) == 0)
            factor = u->factor;
    }
    if (factor == 0)
        return E_SYNTAX;
    if (too_large || value > max / factor)
        return E_RANGE;
    /* The fraction is below 10^9 and the factor below 2^47; computed in two steps nothing
     * overflows. */
    uint64_t more = factor / parts * fraction + factor % parts * fraction / parts;
    if (more > max - value * factor)
        return E_RANGE;
    *ret_value = value * factor + more;
    return 0;
}

int units_parse_duration(const char *text, uint64_t bare_ns, uint64_t *ret_ns)
{
    return parse(text, durations, bare_ns, true, INT64_MAX, ret_ns);
}

int units_parse_size(const char *text, uint64_t *ret_bytes)
{
    return parse(text, sizes, 1, false, UINT64_MAX, ret_bytes);
}
