/*
 * javatext.h - numbers, durations and times as Java writes them: Double.toString and Float.toString
 * of JDK 19 and later, Duration.toString, OffsetDateTime.toString.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct textbuf;

/** A duration: `nanos` is 0 .. 999999999, also where `seconds` is negative. */
struct javatext_span {
    int64_t seconds;
    uint32_t nanos;
};

/** A day and a time of it, at an offset from UTC. */
struct javatext_clock {
    int64_t year;
    unsigned month, day, hour, minute, second;
};

void javatext_double(struct textbuf *t, double value);
void javatext_float(struct textbuf *t, float value);
struct javatext_span javatext_span_of(int64_t count, int64_t ns_each);
void javatext_duration(struct textbuf *t, struct javatext_span span);
/** `seconds` since the epoch, with the offset added. */
struct javatext_clock javatext_clock_at(int64_t seconds);
/** The same with its nanoseconds and the offset's name, as OffsetDateTime has it. */
void javatext_time(struct textbuf *t, struct javatext_span since_epoch, int32_t offset_seconds);
