/*
 * jfc_value.h - converts the value of a setting of a JFR event to the value of an option.
 *
 * The JDK writes "20 ms", "150/s", everyChunk, infinity. Some of these values mean that an event
 * never happens; options have no such value. A value that the JDK ignores is an error here.
 * Source: jdk.jfr.internal.settings and its ValueParser and Rate, JDK 8 to 28.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "options/options_row.h"

enum { JFC_VALUE_TEXT = 48 };

enum jfc_value {
    JFC_VALUE_IS,    /* `ret` is the value of the option */
    JFC_VALUE_NEVER, /* the event never happens */
};

/** Convert `value` to a value of the option `row`. Returns an enum jfc_value. Errors: E_SYNTAX: it
 * is no value. Context: any. */
int jfc_value_for(const struct options_row *row, const char *value, char ret[JFC_VALUE_TEXT]);
/**
 * Like jfc_value_for(), for a throttle whose option is a period of each thread. A rate ("500/s")
 * counts for all `processors` together, each busy all the time. Source: CPUThrottleSetting, JDK 25.
 */
int jfc_value_throttle(const struct options_row *row, const char *value, long processors,
                       char ret[JFC_VALUE_TEXT]);
/** Parse the value of a setting `enabled`. Errors: 0, E_SYNTAX. Context: any. */
int jfc_value_enabled(const char *value, bool *ret);
