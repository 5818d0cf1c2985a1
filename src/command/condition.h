/*
 * condition.h - a condition as users write it behind --where: FIELD=VALUE, or with ==, !=, <, <=, >
 * or >=.
 *
 * This file knows the grammar. Which fields there are, and what a field's values are, is known by
 * those who ask; the numbers of a value are read by amount.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

enum { CONDITION_FIELD = 256 };

/** One condition. */
struct condition {
    char field[CONDITION_FIELD];
    char order;        /* '=', '<' or '>' */
    bool is_not;       /* for '=': the condition is != */
    bool or_same;      /* for '<' and '>': equal values are included */
    const char *value; /* the rest of the text that was parsed; borrowed */
};

/** Whether the text is a condition; if so, *ret has its parts. */
bool condition_parse(const char *text, struct condition *ret);
/** The place where a second condition begins, as in "a=1 and b=2"; NULL: there is none. */
const char *condition_second(const char *text);
/** Whether the condition is true for a number, whose value stands for `other` in the same unit. */
bool condition_holds(const struct condition *c, long double number, long double other);
/** Whether the value is a number, and not a word such as N/A or a pattern. */
bool condition_has_number(const struct condition *c);
