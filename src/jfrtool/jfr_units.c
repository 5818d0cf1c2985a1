/*
 * jfr_units.c - see jfr_units.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_units.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include "command/textbuf.h"
#include "jfr/jfr_value.h"
#include "safe/clock.h"

struct javatext_span jfr_units_span(const struct jfr_chunk *c, const struct jfr_field *f,
                                    int64_t number)
{
    static const int64_t ns_each[] = {
        [JFR_NANOS_SPAN] = 1, [JFR_MILLIS_SPAN] = NS_PER_MS, [JFR_SECONDS_SPAN] = NS_PER_S};
    if (number == INT64_MIN)
        return (struct javatext_span){INT64_MIN, 0};
    if (number == INT64_MAX)
        return (struct javatext_span){INT64_MAX, NS_PER_S - 1};
    if (f->content == JFR_TICKS_SPAN)
        return javatext_span_of(jfr_chunk_span_ns(c, number), 1);
    if (f->content == JFR_MICROS_SPAN) /* the product wraps, as in Java */
        return javatext_span_of((int64_t)((uint64_t)number * NS_PER_US), 1);
    return javatext_span_of(number, ns_each[f->content]);
}

/* The number of decimal digits of `number`. */
static int digits_of(uint64_t number)
{
    int digits = 1;
    for (; number >= 10; number /= 10)
        digits++;
    return digits;
}

static uint64_t power(int digits)
{
    uint64_t p = 1;
    for (; digits > 0; digits--)
        p *= 10;
    return p;
}

/* Rounds off the last `dropped` digits. */
static uint64_t round_to(uint64_t number, int dropped)
{
    uint64_t unit = power(dropped);
    return (number + unit / 2) / unit * unit;
}

/* Writes a span of less than a second with three digits, and below 1 us with all nanoseconds. */
static void put_ms(struct textbuf *t, uint64_t ns)
{
    int digits = 9 - digits_of(ns);
    textbuf_printf(t, "%.*f ms", ns < NS_PER_US ? 6 : digits, (double)ns / NS_PER_MS);
}

/* Rounding may turn 59.99 s into a minute, so the unit is chosen after rounding. */
static void put_positive(struct textbuf *t, uint64_t seconds, uint32_t nanos)
{
    if (seconds == 0 && nanos >= NS_PER_US) {
        nanos = (uint32_t)round_to(nanos, digits_of(nanos) - 3);
    } else if (seconds > 0 && seconds < 60) {
        nanos = (uint32_t)round_to(nanos / NS_PER_MS, digits_of(seconds)) * NS_PER_MS;
    } else if (seconds >= 60 && seconds < 3600) {
        seconds += nanos >= NS_PER_S / 2;
        nanos = 0;
    } else if (seconds >= 3600 && seconds < 86400) {
        seconds = (seconds + 30) / 60 * 60;
    } else if (seconds >= 86400) {
        seconds = (seconds + 1800) / 3600 * 3600;
    }
    seconds += nanos / NS_PER_S;
    nanos %= NS_PER_S;
    if (seconds == 0)
        put_ms(t, nanos);
    else if (seconds < 60)
        textbuf_printf(t, "%.*f s", 3 - digits_of(seconds),
                       (double)seconds + (double)nanos / NS_PER_S);
    else if (seconds < 3600)
        textbuf_printf(t, "%" PRIu64 " m %" PRIu64 " s", seconds / 60, seconds % 60);
    else if (seconds < 86400)
        textbuf_printf(t, "%" PRIu64 " h %" PRIu64 " m", seconds / 3600, seconds % 3600 / 60);
    else
        textbuf_printf(t, "%" PRIu64 " d %" PRIu64 " h", seconds / 86400, seconds % 86400 / 3600);
}

void jfr_units_duration(struct textbuf *t, struct javatext_span s, bool is_exact)
{
    bool is_negative = s.seconds < 0;
    uint64_t seconds = is_negative ? -(uint64_t)s.seconds : (uint64_t)s.seconds;
    uint32_t nanos = s.nanos;
    if (is_negative && nanos > 0) {
        seconds--;
        nanos = NS_PER_S - nanos;
    }
    if (s.seconds == INT64_MIN && s.nanos == 0) {
        textbuf_text(t, "N/A");
        return;
    }
    if (s.seconds == INT64_MAX) {
        textbuf_text(t, "Forever");
        return;
    }
    if (is_negative)
        textbuf_char(t, '-');
    if (is_exact)
        textbuf_printf(t, "%" PRIu64 ".%09" PRIu32 " s", seconds, nanos);
    else if (seconds == 0 && nanos == 0)
        textbuf_text(t, "0 s");
    else
        put_positive(t, seconds, nanos);
}

void jfr_units_amount(struct textbuf *t, int64_t amount, unsigned marks, bool is_exact)
{
    bool is_rate = marks & JFR_FREQUENCY, is_bits = marks & JFR_BITS_AMOUNT;
    /* In its exact form the JDK's tool writes "0 byte". */
    bool is_one = amount == 1 || amount == -1 || (is_exact && amount == 0);
    const char *small = is_rate && is_bits               ? "bps"
                        : is_rate && is_exact && !is_one ? "bytes/s"
                        : is_rate                        ? "byte/s"
                        : is_bits                        ? (is_one ? "bit" : "bits")
                        : is_one                         ? "byte"
                                                         : "bytes";
    const char *large = is_rate && is_bits ? "bps" : is_rate ? "B/s" : is_bits ? "bit" : "B";
    double value = (double)amount;
    int exponent = 0;

    if (amount == INT64_MIN) {
        textbuf_text(t, "N/A");
        return;
    }
    if (is_exact || (amount < 1024 && amount > -1024)) {
        textbuf_printf(t, "%" PRId64 " %s", amount, small);
        return;
    }
    while (value >= 1024 || value <= -1024) {
        value /= 1024;
        exponent++;
    }
    /* Half a digit is rounded away from 0, as in Java. */
    value = trunc(value * 10 + (value < 0 ? -0.5 : 0.5)) / 10;
    textbuf_printf(t, "%.1f %c%s", value, "kMGTPE"[exponent > 0 ? exponent - 1 : 0], large);
}

void jfr_units_stamp(struct textbuf *t, const struct jfr_chunk *c, const struct jfr_field *f,
                     int64_t number, int64_t offset_seconds, bool is_exact)
{
    struct javatext_span at = f->content == JFR_TICKS_STAMP
                                  ? javatext_span_of(jfr_chunk_time_ns(c, number), 1)
                                  : javatext_span_of(number, NS_PER_MS);
    struct javatext_clock k = javatext_clock_at(at.seconds + offset_seconds % 86400);
    if (number == INT64_MIN) {
        textbuf_text(t, "N/A");
        return;
    }
    textbuf_printf(t, "%02u:%02u:%02u.", k.hour, k.minute, k.second);
    textbuf_padded(t, is_exact ? at.nanos : at.nanos / NS_PER_MS, is_exact ? 9 : 3);
    textbuf_printf(t, " (%04" PRId64 "-%02u-%02u)", k.year, k.month, k.day);
}

/* Java rounds the decimal digits that it prints. The C library rounds the binary number, in which a
 * half digit is seldom exactly a half. So the number is rounded here first. */
void jfr_units_share(struct textbuf *t, double share, int digits)
{
    double unit = (double)power(digits), percent = share * 100;
    double rounded = trunc(fabs(percent) * unit + 0.5 + 1e-9) / unit;
    textbuf_printf(t, "%.*f%%", digits, copysign(rounded, percent));
}

bool jfr_units_is_none(const struct jfr_value *v)
{
    if (v->shape != JFR_NUMBER)
        return v->shape != JFR_REAL || isnan(v->real) || (isinf(v->real) && v->real < 0);
    if (v->field->content != JFR_PLAIN)
        return v->number == INT64_MIN;
    return !(v->field->marks & JFR_UNSIGNED) &&
           ((v->type->kind == JFR_LONG && v->number == INT64_MIN) ||
            (v->type->kind == JFR_INT && v->number == INT32_MIN));
}

static void put_number(struct textbuf *t, const struct jfr_chunk *c, const struct jfr_value *v,
                       bool is_exact)
{
    const struct jfr_field *f = v->field;
    int64_t number = jfr_value_widened(v);
    bool is_none = f->content == JFR_PLAIN && jfr_units_is_none(v);
    if (f->content >= JFR_TICKS_STAMP)
        jfr_units_stamp(t, c, f, number, c->metadata.gmt_offset_ms / 1000, is_exact);
    else if (f->content != JFR_PLAIN)
        jfr_units_duration(t, jfr_units_span(c, f, number), is_exact);
    else if (is_none)
        textbuf_text(t, "N/A");
    else if (f->marks & (JFR_BYTES_AMOUNT | JFR_BITS_AMOUNT))
        jfr_units_amount(t, number, f->marks, is_exact);
    else if (f->marks & JFR_ADDRESS)
        textbuf_printf(t, "0x%08" PRIX64, (uint64_t)number);
    else if (f->marks & JFR_UNSIGNED)
        textbuf_unsigned(t, (uint64_t)number);
    else
        textbuf_number(t, number);
    if (f->content == JFR_PLAIN && !is_none &&
        (f->marks & (JFR_FREQUENCY | JFR_BYTES_AMOUNT | JFR_BITS_AMOUNT)) == JFR_FREQUENCY)
        textbuf_text(t, " Hz");
}

/* Converts as a cast in Java does: a number that is too large becomes the limit. */
static int64_t whole_of(double real)
{
    return real >= JFR_UNITS_EVER ? INT64_MAX : real <= -JFR_UNITS_EVER ? INT64_MIN : (int64_t)real;
}

void jfr_units_value(struct textbuf *t, const struct jfr_chunk *c, const struct jfr_value *v,
                     bool is_exact)
{
    if (v->shape == JFR_NUMBER && v->type->kind == JFR_BOOLEAN)
        textbuf_text(t, v->number ? "true" : "false");
    else if (v->shape == JFR_NUMBER)
        put_number(t, c, v, is_exact);
    else if (jfr_units_is_none(v))
        textbuf_text(t, "N/A");
    else if (v->field->marks & JFR_PERCENTAGE)
        jfr_units_share(t, v->real, is_exact ? 9 : 2);
    else if (v->field->marks & (JFR_BYTES_AMOUNT | JFR_BITS_AMOUNT))
        jfr_units_amount(t, whole_of(v->real), v->field->marks, is_exact);
    else if (v->type->kind == JFR_FLOAT)
        javatext_float(t, (float)v->real);
    else
        javatext_double(t, v->real);
    if (v->shape == JFR_REAL && !jfr_units_is_none(v) &&
        (v->field->marks & (JFR_FREQUENCY | JFR_PERCENTAGE | JFR_BYTES_AMOUNT | JFR_BITS_AMOUNT)) ==
            JFR_FREQUENCY)
        textbuf_text(t, " Hz");
}

/* ---- values as numbers */

bool jfr_units_number(const struct jfr_chunk *c, const struct jfr_value *value, double *ret_number)
{
    if (jfr_units_is_none(value))
        return false;
    if (value->shape == JFR_REAL) {
        *ret_number = value->real;
    } else if (value->field->content == JFR_PLAIN || value->field->content >= JFR_TICKS_STAMP) {
        int64_t number = jfr_value_widened(value);
        *ret_number =
            value->field->marks & JFR_UNSIGNED ? (double)(uint64_t)number : (double)number;
    } else {
        struct javatext_span span = jfr_units_span(c, value->field, value->number);
        *ret_number = fmin(fmax((double)span.seconds * NS_PER_S + span.nanos, -JFR_UNITS_EVER),
                           JFR_UNITS_EVER);
    }
    return true;
}

struct jfr_units jfr_units_of(const struct jfr_value *value)
{
    const struct jfr_field *f = value->field;
    enum jfr_units_kind kind = f->content >= JFR_TICKS_STAMP                     ? JFR_UNITS_STAMP
                               : f->content != JFR_PLAIN                         ? JFR_UNITS_SPAN
                               : f->marks & (JFR_BYTES_AMOUNT | JFR_BITS_AMOUNT) ? JFR_UNITS_SIZE
                               : f->marks & JFR_PERCENTAGE && value->shape == JFR_REAL
                                   ? JFR_UNITS_SHARE
                                   : JFR_UNITS_COUNT;
    return (struct jfr_units){kind, f->marks};
}

bool jfr_units_take(const struct jfr_chunk *c, const struct jfr_value *value, double *ret_real,
                    int64_t *ret_whole)
{
    enum jfr_content content = value->field ? value->field->content : JFR_PLAIN;
    if (!value->field || !jfr_units_number(c, value, ret_real) || isinf(*ret_real))
        return false;
    *ret_whole = whole_of(*ret_real);
    if (value->shape == JFR_NUMBER && content == JFR_TICKS_STAMP)
        *ret_whole = jfr_chunk_time_ns(c, value->number);
    else if (value->shape == JFR_NUMBER && content == JFR_MILLIS_STAMP)
        *ret_whole = (int64_t)((uint64_t)value->number * NS_PER_MS);
    else if (value->shape == JFR_NUMBER && content == JFR_PLAIN)
        *ret_whole = jfr_value_widened(value);
    if (content >= JFR_TICKS_STAMP && value->shape == JFR_NUMBER)
        *ret_real = (double)*ret_whole;
    return true;
}

void jfr_units_put(struct textbuf *t, struct jfr_units unit, double amount)
{
    bool fits = amount > -JFR_UNITS_EVER && amount < JFR_UNITS_EVER;
    if (isnan(amount))
        textbuf_text(t, "N/A");
    else if (unit.kind == JFR_UNITS_SPAN && amount >= JFR_UNITS_EVER)
        textbuf_text(t, "Forever");
    else if (unit.kind == JFR_UNITS_SPAN && fits)
        jfr_units_duration(t, javatext_span_of((int64_t)round(amount), 1), false);
    else if (unit.kind == JFR_UNITS_SIZE && fits)
        jfr_units_amount(t, (int64_t)amount, unit.marks, false);
    else if (unit.kind == JFR_UNITS_SHARE)
        jfr_units_share(t, amount, 2);
    else
        textbuf_printf(t, "%.15g", amount);
}
