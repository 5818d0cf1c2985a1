/*
 * jfr_units.h - numbers of JFR events with their units, rounded as people read them.
 *
 * Source: jdk.jfr, ValueFormatter.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "cli/javatext.h"

struct jfr_chunk;
struct jfr_field;
struct jfr_value;
struct textbuf;

/** A number of a field whose content is a span, as a duration. INT64_MIN is none, INT64_MAX ever.
 */
struct javatext_span jfr_units_span(const struct jfr_chunk *c, const struct jfr_field *f,
                                    int64_t number);
/** 26.7 ms, 1 m 17 s; exact: 0.026713000 s. */
void jfr_units_duration(struct textbuf *t, struct javatext_span span, bool is_exact);
/** 4.4 MB, 3 bits, 12.0 kB/s. */
void jfr_units_amount(struct textbuf *t, int64_t amount, unsigned marks, bool is_exact);
/** 1 is 100%, with so many digits behind the point; half of the last one is rounded up. */
void jfr_units_share(struct textbuf *t, double share, int digits);
/** Whether a number or real says that there is none: N/A. All else is none. */
bool jfr_units_is_none(const struct jfr_value *value);
/** A moment for people; at an offset from UTC. INT64_MIN: N/A. */
void jfr_units_stamp(struct textbuf *t, const struct jfr_chunk *c, const struct jfr_field *f,
                     int64_t number, int64_t offset_seconds, bool is_exact);
/** A number or real with all that its field's annotations say of it; N/A for what is none. */
void jfr_units_value(struct textbuf *t, const struct jfr_chunk *c, const struct jfr_value *value,
                     bool is_exact);
