/*
 * jfr_quantity.h - reads numbers that people write in conditions, in the unit of an event's field:
 * "0.1ms", "1 m 3 s", "4 kB", "12.5%", "14:05:00".
 *
 * All units that our tables print can be read, and the prefixes mean the same: 1 kB is 1,024 bytes.
 * A number with an unknown unit is an error.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct jfr_chunk;
struct jfr_value;

/** A span without end: 2^63 nanoseconds. */
#define JFR_QUANTITY_EVER 9223372036854775808.0

/** Whether the value is a point in time. Its number is then nanoseconds since the epoch. */
bool jfr_quantity_is_moment(const struct jfr_value *value);
/** The number of a value that is a point in time. */
double jfr_quantity_moment(const struct jfr_chunk *c, const struct jfr_value *value);
/**
 * Reads the text as a number for the value's field: a span in nanoseconds, a point in time in
 * nanoseconds since the epoch. A span without a unit is in nanoseconds. Errors: 0, E_SYNTAX.
 */
int jfr_quantity_parse(const struct jfr_chunk *c, const struct jfr_value *value, const char *text,
                       double *ret_number);
/** The values that jfr_quantity_parse() accepts, in words for the end of a message. */
const char *jfr_quantity_wanted(const struct jfr_value *value);
