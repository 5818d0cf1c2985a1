/*
 * javatext.c - see javatext.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/javatext.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include "command/textbuf.h"
#include "safe/clock.h"

enum {
    S_PER_DAY = 86400,
    /* A number is written without an exponent if its exponent of ten is from PLAIN_FROM to PLAIN_TO
     * - 1. */
    PLAIN_FROM = -3,
    PLAIN_TO = 7,
    DOUBLE_DIGITS = 17,
    FLOAT_DIGITS = 9,
    OFFSET_MAX = 18 * 3600,
};

/* Writes the digits of D.DDDe+EX as Java does: at least one on each side of the point. */
static void put_digits(struct textbuf *t, const char *scientific)
{
    char digits[DOUBLE_DIGITS + 1];
    int count = 0;
    const char *at = scientific;
    if (*at == '-')
        textbuf_char(t, *at++);
    for (; *at != 'e'; at++)
        if (*at != '.')
            digits[count++] = *at;
    int exponent = (int)strtol(at + 1, NULL, 10);
    while (count > 1 && digits[count - 1] == '0')
        count--;
    if (exponent < PLAIN_FROM || exponent >= PLAIN_TO) {
        textbuf_bytes(t, digits, 1);
        textbuf_char(t, '.');
        textbuf_bytes(t, count > 1 ? digits + 1 : "0", count > 1 ? (size_t)count - 1 : 1);
        textbuf_char(t, 'E');
        textbuf_number(t, exponent);
        return;
    }
    if (exponent < 0) {
        textbuf_text(t, "0.");
        textbuf_fill(t, '0', (size_t)(-exponent - 1));
        textbuf_bytes(t, digits, (size_t)count);
        return;
    }
    for (int i = 0; i <= exponent; i++)
        textbuf_char(t, i < count ? digits[i] : '0');
    textbuf_char(t, '.');
    if (count > exponent + 1)
        textbuf_bytes(t, digits + exponent + 1, (size_t)(count - exponent - 1));
    else
        textbuf_char(t, '0');
}

/* Writes a number that has a fixed text: NaN, the infinities and zero. Returns whether it did. */
static int put_odd(struct textbuf *t, double value)
{
    if (isnan(value))
        textbuf_text(t, "NaN");
    else if (isinf(value))
        textbuf_text(t, value < 0 ? "-Infinity" : "Infinity");
    else if (value == 0)
        textbuf_text(t, signbit(value) ? "-0.0" : "0.0");
    else
        return 0;
    return 1;
}

/* A number with few digits is a whole number divided by a power of ten. A double holds both
 * exactly, so the division is rounded once only, as when the text is read back. Most numbers are
 * like this, and this way is ten times as fast as the search below. */
static int put_decimal(struct textbuf *t, double value, bool is_float)
{
    static const double scales[FLOAT_DIGITS + 1] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    double size = fabs(value), most = is_float ? 1e6 : 1e15;
    if (size < 1e-3 || size >= 1e7)
        return 0;
    for (unsigned digits = 1; digits <= FLOAT_DIGITS; digits++) {
        double scale = scales[digits], whole = rint(size * scale);
        if (whole >= most)
            return 0;
        if (is_float ? (float)(whole / scale) != (float)size : whole / scale != size)
            continue;
        if (value < 0)
            textbuf_char(t, '-');
        textbuf_unsigned(t, (uint64_t)whole / (uint64_t)scale);
        textbuf_char(t, '.');
        textbuf_padded(t, (uint64_t)whole % (uint64_t)scale, digits);
        return 1;
    }
    return 0;
}

/* Writes the fewest digits that are read back as the same number, at least two. A normal double
 * keeps all decimal numbers of up to 15 digits apart. So the search begins at 15 digits: if fewer
 * are enough, the rest are zeros, which put_digits() removes. */
void javatext_double(struct textbuf *t, double value)
{
    char text[40];
    if (put_odd(t, value))
        return;
    if (fabs(value) < 1e7 && value == (double)(int32_t)value) {
        textbuf_number(t, (int32_t)value);
        textbuf_text(t, ".0");
        return;
    }
    if (put_decimal(t, value, false))
        return;
    for (int digits = fpclassify(value) == FP_NORMAL ? 15 : 2; digits <= DOUBLE_DIGITS; digits++) {
        snprintf(text, sizeof(text), "%.*e", digits - 1, value);
        if (strtod(text, NULL) == value)
            break;
    }
    put_digits(t, text);
}

void javatext_float(struct textbuf *t, float value)
{
    char text[40];
    if (put_odd(t, (double)value) || put_decimal(t, (double)value, true))
        return;
    for (int digits = fpclassify(value) == FP_NORMAL ? 6 : 2; digits <= FLOAT_DIGITS; digits++) {
        snprintf(text, sizeof(text), "%.*e", digits - 1, (double)value);
        if (strtof(text, NULL) == value)
            break;
    }
    put_digits(t, text);
}

struct javatext_span javatext_span_of(int64_t count, int64_t ns_each)
{
    int64_t per_second = NS_PER_S / ns_each, seconds = count / per_second,
            rest = count % per_second;
    if (rest < 0) {
        rest += per_second;
        seconds--;
    }
    return (struct javatext_span){seconds, (uint32_t)(rest * ns_each)};
}

/* Writes ".25" for 250000000: zeros at the end are left out. */
static void put_fraction(struct textbuf *t, uint32_t nanos)
{
    unsigned digits = 9;
    for (; nanos % 10 == 0; nanos /= 10)
        digits--;
    textbuf_char(t, '.');
    textbuf_padded(t, nanos, digits);
}

void javatext_duration(struct textbuf *t, struct javatext_span s)
{
    bool is_split = s.seconds < 0 && s.nanos > 0; /* write -0.5 and not -1 + 0.5 */
    int64_t whole = s.seconds + is_split;
    int64_t hours = whole / 3600, minutes = whole % 3600 / 60, seconds = whole % 60;
    textbuf_text(t, "PT");
    if (hours != 0) {
        textbuf_number(t, hours);
        textbuf_char(t, 'H');
    }
    if (minutes != 0) {
        textbuf_number(t, minutes);
        textbuf_char(t, 'M');
    }
    if (seconds == 0 && s.nanos == 0 && (hours != 0 || minutes != 0))
        return;
    if (is_split && seconds == 0)
        textbuf_char(t, '-');
    textbuf_number(t, seconds);
    if (s.nanos > 0)
        put_fraction(t, s.seconds < 0 ? NS_PER_S - s.nanos : s.nanos);
    textbuf_char(t, 'S');
}

/* Turns days since the epoch into a date. Source: Howard Hinnant, "chrono-compatible low-level date
 * algorithms", civil_from_days. */
struct javatext_clock javatext_clock_at(int64_t seconds)
{
    int64_t days = seconds / S_PER_DAY, rest = seconds % S_PER_DAY;
    struct javatext_clock c;
    if (rest < 0) {
        rest += S_PER_DAY;
        days--;
    }
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t of_era = days - era * 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * of_year + 2) / 153;

    c.day = (unsigned)(of_year - (153 * month + 2) / 5 + 1);
    c.month = (unsigned)(month < 10 ? month + 3 : month - 9);
    c.year = year + era * 400 + (c.month <= 2);
    c.hour = (unsigned)(rest / 3600);
    c.minute = (unsigned)(rest % 3600 / 60);
    c.second = (unsigned)(rest % 60);
    return c;
}

static void put_offset(struct textbuf *t, int32_t offset)
{
    uint32_t size = (uint32_t)abs(offset);
    if (offset == 0) {
        textbuf_char(t, 'Z');
        return;
    }
    textbuf_char(t, offset < 0 ? '-' : '+');
    textbuf_padded(t, size / 3600, 2);
    textbuf_char(t, ':');
    textbuf_padded(t, size % 3600 / 60, 2);
    if (size % 60 != 0) {
        textbuf_char(t, ':');
        textbuf_padded(t, size % 60, 2);
    }
}

void javatext_time(struct textbuf *t, struct javatext_span since_epoch, int32_t offset_seconds)
{
    int32_t offset = abs(offset_seconds) <= OFFSET_MAX ? offset_seconds : 0;
    struct javatext_clock c = javatext_clock_at(since_epoch.seconds + offset);
    if (c.year > 9999)
        textbuf_char(t, '+');
    else if (c.year < 0)
        textbuf_char(t, '-');
    textbuf_padded(t, (uint64_t)llabs(c.year), 4);
    textbuf_char(t, '-');
    textbuf_padded(t, c.month, 2);
    textbuf_char(t, '-');
    textbuf_padded(t, c.day, 2);
    textbuf_char(t, 'T');
    textbuf_padded(t, c.hour, 2);
    textbuf_char(t, ':');
    textbuf_padded(t, c.minute, 2);
    if (c.second > 0 || since_epoch.nanos > 0) {
        textbuf_char(t, ':');
        textbuf_padded(t, c.second, 2);
    }
    if (since_epoch.nanos > 0) {
        uint32_t n = since_epoch.nanos;
        textbuf_char(t, '.');
        textbuf_padded(t,
                       n % 1000000 == 0 ? n / 1000000
                       : n % 1000 == 0  ? n / 1000
                                        : n,
                       n % 1000000 == 0 ? 3
                       : n % 1000 == 0  ? 6
                                        : 9);
    }
    put_offset(t, offset);
}
