/*
 * values.h - checks the values of options, and refuses wrong values with a message of one line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct cmd;

/** Each function returns 0 and the value, or negative after saying what `option` (without dashes)
 * wants. */
int values_count(const struct cmd *cmd, const char *option, const char *text, uint32_t max,
                 uint32_t *ret_count);
/** A time longer than 0; a bare number is in milliseconds. */
int values_duration(const struct cmd *cmd, const char *option, const char *text, uint64_t *ret_ns);
/** Works like values_duration(), but a bare number is in seconds. */
int values_seconds(const struct cmd *cmd, const char *option, const char *text, uint64_t *ret_ns);
int values_size(const struct cmd *cmd, const char *option, const char *text, uint64_t *ret_bytes);
/** A number from 0 to 1. */
int values_fraction(const struct cmd *cmd, const char *option, const char *text,
                    double *ret_fraction);
/** Checks the text of a --where: one condition (condition.h). */
int values_condition(const struct cmd *cmd, const char *text);
