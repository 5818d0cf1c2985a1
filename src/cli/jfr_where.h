/*
 * jfr_where.h - a condition on a field of an event: FIELD=VALUE, with =, !=, <, <=, > and >=.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct jfr_printer;
struct jfr_value;

/** Whether the text is a condition. */
bool jfr_where_is(const char *condition);
/**
 * Whether it holds for an event of the printer's chunk; a field that is not there, or null, equals
 * nothing. Texts are compared with * and ?, numbers with units: 10ms, 4k.
 */
bool jfr_where_holds(const char *condition, struct jfr_printer *o, const struct jfr_value *event);
/** What the condition is about; false: the path does not fit. */
bool jfr_where_path(const char *condition, char *to, size_t room);
/** Whether it compares with = or !=. */
bool jfr_where_is_equality(const char *condition);
/** Whether such a one holds for a text; NULL, which there is not, is unequal to all. */
bool jfr_where_holds_for(const char *condition, const char *text);
/** Whether the event has the field that the condition is about. */
bool jfr_where_has_field(const char *condition, const struct jfr_printer *o,
                         const struct jfr_value *event);
/** The nanoseconds of a span without end, 2^63. */
#define JFR_WHERE_EVER 9223372036854775808.0

/** A number as one, spans in nanoseconds. Returns whether it is one: N/A is none. */
bool jfr_where_number(const struct jfr_printer *o, const struct jfr_value *value,
                      double *ret_number);
