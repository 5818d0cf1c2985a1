/*
 * javatext.h - writes numbers, durations and times as Java does: Double.toString and Float.toString
 * of JDK 19 and later, Duration.toString, OffsetDateTime.toString.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct textbuf;

/** A duration. `nanos` is 0 .. 999999999, even if `seconds` is negative: -0.5 s is -1 and
 * 500000000. */
struct javatext_span {
    int64_t seconds;
    uint32_t nanos;
};

/** A date and a time of day, at an offset from UTC. */
struct javatext_clock {
    int64_t year;
    unsigned month, day, hour, minute, second;
};

void javatext_double(struct textbuf *t, double value);
void javatext_float(struct textbuf *t, float value);
struct javatext_span javatext_span_of(int64_t count, int64_t ns_each);
void javatext_duration(struct textbuf *t, struct javatext_span span);
/** The date and time of `seconds` since the epoch; the caller has added the offset. */
struct javatext_clock javatext_clock_at(int64_t seconds);
/** Writes a date and time with nanoseconds and the offset, as OffsetDateTime.toString does. */
void javatext_time(struct textbuf *t, struct javatext_span since_epoch, int32_t offset_seconds);
