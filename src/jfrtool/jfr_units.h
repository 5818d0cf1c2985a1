/*
 * jfr_units.h - the numbers of JFR events and those that are made of them, such as sums: their
 * units, and how they are written, rounded for people.
 *
 * Source: jdk.jfr, ValueFormatter.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "command/javatext.h"

struct jfr_chunk;
struct jfr_field;
struct jfr_value;
struct textbuf;

/** A span without end: 2^63 nanoseconds. */
#define JFR_UNITS_EVER 9223372036854775808.0

enum jfr_units_kind {
    JFR_UNITS_COUNT,
    JFR_UNITS_SPAN,  /* nanoseconds */
    JFR_UNITS_STAMP, /* nanoseconds since the epoch; the difference of two stamps is a span */
    JFR_UNITS_SIZE,  /* bytes or bits, or bytes or bits per second */
    JFR_UNITS_SHARE, /* 1 is the whole */
};

/** The unit of a field's numbers. */
struct jfr_units {
    enum jfr_units_kind kind;
    unsigned marks; /* bits of enum jfr_mark; for JFR_UNITS_SIZE only */
};

/** The span of a number of the field. INT64_MIN is no span, and INT64_MAX is a span without end. */
struct javatext_span jfr_units_span(const struct jfr_chunk *c, const struct jfr_field *f,
                                    int64_t number);
/** Writes 26.7 ms or 1 m 17 s; exact: 0.026713000 s. */
void jfr_units_duration(struct textbuf *t, struct javatext_span span, bool is_exact);
/** Writes 4.4 MB, 3 bits or 12.0 kB/s. */
void jfr_units_amount(struct textbuf *t, int64_t amount, unsigned marks, bool is_exact);
/** Writes a share; 1 is 100%. `digits` is the number of digits after the point; half of the last
 * digit is rounded up. */
void jfr_units_share(struct textbuf *t, double share, int digits);
/** Whether the value stands for a missing number, which is shown as N/A. A value that is neither a
 * number nor a real is missing too. */
bool jfr_units_is_none(const struct jfr_value *value);
/** Writes a time for people, at an offset from UTC. INT64_MIN: N/A. */
void jfr_units_stamp(struct textbuf *t, const struct jfr_chunk *c, const struct jfr_field *f,
                     int64_t number, int64_t offset_seconds, bool is_exact);
/** Writes a number or real as the annotations of its field say; N/A for a missing number. */
void jfr_units_value(struct textbuf *t, const struct jfr_chunk *c, const struct jfr_value *value,
                     bool is_exact);
/** The number of a value; spans are in nanoseconds. Returns whether the value is a number; N/A is
 * not. */
bool jfr_units_number(const struct jfr_chunk *c, const struct jfr_value *value, double *ret_number);
/** The unit of the value's field. */
struct jfr_units jfr_units_of(const struct jfr_value *value);
/**
 * The value as a number in that unit. *ret_real is the nearest double. *ret_whole is exact to the
 * nanosecond or byte, if the value has no fraction. Returns false if the value is not a number, or
 * stands for a missing number.
 */
bool jfr_units_take(const struct jfr_chunk *c, const struct jfr_value *value, double *ret_real,
                    int64_t *ret_whole);
/** Writes an amount as people read it. NAN is written as N/A. A span that does not fit into 64 bits
 * is written as endless. A stamp cannot be written. */
void jfr_units_put(struct textbuf *t, struct jfr_units unit, double amount);
