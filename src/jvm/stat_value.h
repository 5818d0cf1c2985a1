/*
 * stat_value.h - computes the value of a column from counters: a sum, difference or quotient.
 *
 * A word is the name of a counter. The beginning of a name may be abbreviated: S0, S1, EDEN, OLD,
 * GEN0, GEN1, C0, C1, C2 (collectors), MS (metaspace), CCS (compressed class space), POL (policy).
 * HZ is the number of ticks in a second. "%S0" is how full S0 is, in percent. As in jstat, a
 * missing counter is not a number, and a division by 0 gives none.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct perfdata;

/** The value of an expression. NAN: a counter is missing, and does not count as 0. */
double stat_value_number(const struct perfdata *p, const char *value, bool missing_is_0);
/** Writes the full name of the counter for a value of one word into `ret_name`. */
void stat_value_name(const char *value, char *ret_name, unsigned room);
/** The release of the JDK that wrote these counters; the newest release if they do not say. */
int stat_value_release(const struct perfdata *p);
