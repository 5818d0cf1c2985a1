/*
 * jfr_where.h - a condition on a field of an event: FIELD=VALUE, with =, !=, <, <=, > and >=.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jfr_printer;
struct jfr_value;

enum { JFR_WHERE_MAX = 16, JFR_WHERE_WORDS = 1024 };

/** Conditions that all are to hold. */
struct jfr_where_set {
    const char *of[JFR_WHERE_MAX];
    uint32_t count;
};

/** Whether the text is a condition. */
bool jfr_where_is(const char *condition);
/** Where a second condition begins in it, as in "a=1 and b=2"; NULL: nowhere. */
const char *jfr_where_second(const char *condition);
/**
 * Whether it holds for an event of the printer's chunk; a field that is not there, or null, equals
 * nothing. Texts are compared with * and ?, numbers as jfr_quantity.h reads them. Returns 1 or 0;
 * E_SYNTAX after saying why what it compares with is none of the field's values.
 */
int jfr_where_check(const char *condition, struct jfr_printer *o, const struct jfr_value *event);
/** Whether all hold. Returns as above. */
int jfr_where_all(const struct jfr_where_set *set, struct jfr_printer *o,
                  const struct jfr_value *event);
/** "--where 'a=1' --where 'b>2'", as far as there is room, for a message. */
void jfr_where_words(const struct jfr_where_set *set, char words[JFR_WHERE_WORDS]);
/** What the condition is about; false: the path does not fit. */
bool jfr_where_path(const char *condition, char *to, size_t room);
/** Whether it compares with = or !=. */
bool jfr_where_is_equality(const char *condition);
/** Whether such a one holds for a text; NULL, which there is not, is unequal to all. */
bool jfr_where_holds_for(const char *condition, const char *text);
/** Whether the event has the field that the condition is about. */
bool jfr_where_has_field(const char *condition, const struct jfr_printer *o,
                         const struct jfr_value *event);
/** A number as one, spans in nanoseconds. Returns whether it is one: N/A is none. */
bool jfr_where_number(const struct jfr_printer *o, const struct jfr_value *value,
                      double *ret_number);
