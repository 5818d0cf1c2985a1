/*
 * jfr_where.h - a condition on a field of an event: FIELD=VALUE, or with !=, <, <=, > or >=. Their
 * grammar is in command/condition.h.
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

/** Conditions that must all be true. */
struct jfr_where_set {
    const char *of[JFR_WHERE_MAX];
    uint32_t count;
};

/** Whether the text is a condition. */
bool jfr_where_is(const char *condition);
/**
 * Whether the condition is true for an event of the printer's chunk. It is false if the event does
 * not have the field. A null field is unequal to every value. Texts are compared as patterns with *
 * and ?, numbers by what they mean: 1ms is 1000us. Returns 1 or 0; E_SYNTAX after saying why the
 * field cannot have such a value.
 */
int jfr_where_check(const char *condition, struct jfr_printer *o, const struct jfr_value *event);
/** Whether all conditions are true. Returns as jfr_where_check(). */
int jfr_where_all(const struct jfr_where_set *set, struct jfr_printer *o,
                  const struct jfr_value *event);
/** Writes "--where 'a=1' --where 'b>2'" for a message, as far as there is room. */
void jfr_where_words(const struct jfr_where_set *set, char words[JFR_WHERE_WORDS]);
/** Copies the path of the field; false: the path does not fit. */
bool jfr_where_path(const char *condition, char *to, size_t room);
/** Whether the condition has = or !=. */
bool jfr_where_is_equality(const char *condition);
/** Whether a condition with = or != is true for a text. NULL (there is no text) is unequal to
 * everything. */
bool jfr_where_holds_for(const char *condition, const char *text);
/** Whether the event has the field of the condition. */
bool jfr_where_has_field(const char *condition, const struct jfr_printer *o,
                         const struct jfr_value *event);
