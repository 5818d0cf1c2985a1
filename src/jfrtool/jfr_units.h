/*
 * jfr_units.h - writes numbers of JFR events with their units, rounded for people.
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
