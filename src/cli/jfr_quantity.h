/*
 * jfr_quantity.h - numbers as people write them in conditions, in the unit of a field of an event:
 * "0.1ms", "1 m 3 s", "4 kB", "12.5%", "14:05:00".
 *
 * All units that our tables print are understood, and prefixes are those that tables print: 1 kB is
 * 1,024 bytes. What stands behind a number and is no unit makes the whole text wrong.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct jfr_chunk;
struct jfr_value;

/** The nanoseconds of a span without end, 2^63. */
#define JFR_QUANTITY_EVER 9223372036854775808.0

/** Whether the value is a moment: its number is nanoseconds since the epoch here. */
bool jfr_quantity_is_moment(const struct jfr_value *value);
/** The number of such a value. */
double jfr_quantity_moment(const struct jfr_chunk *c, const struct jfr_value *value);
/**
 * The text as a number of the value's field: spans in nanoseconds, moments in nanoseconds since the
 * epoch. A span without a unit is nanoseconds. Errors: 0, E_SYNTAX.
 */
int jfr_quantity_parse(const struct jfr_chunk *c, const struct jfr_value *value, const char *text,
                       double *ret_number);
/** What jfr_quantity_parse() takes for the value, in words for a message. */
const char *jfr_quantity_wanted(const struct jfr_value *value);
