/*
 * stat_value.h - the value of a column of counters: a sum, difference or quotient of them.
 *
 * Words are the names of counters, whole or by what their fronts are abbreviated to: S0, S1, EDEN,
 * OLD, GEN0, GEN1, C0, C1, C2 (collectors), MS (metaspace), CCS (compressed class space), POL
 * (policy); HZ is how many ticks a second has. "%S0" is how full S0 is, in percent. As jstat has
 * it: what is missing is no number, and so is everything that is divided by 0.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct perfdata;

/** NAN: a counter is missing, unless that counts as 0. */
double stat_value_number(const struct perfdata *p, const char *value, bool missing_is_0);
/** The whole name of the counter that a value of one word is, into `ret_name`. */
void stat_value_name(const char *value, char *ret_name, unsigned room);
