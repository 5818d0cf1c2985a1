/*
 * jfc_value.h - the value of one setting of a JFR event, as the option that it sets has it.
 *
 * The JDK writes "20 ms", "150/s", everyChunk, infinity; some of its values say that an event never
 * comes, which options do not. A value that the JDK would pass over is none here either.
 * Source: jdk.jfr.internal.settings and its ValueParser and Rate, JDK 8 to 28.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "options/options_row.h"

enum { JFC_VALUE_TEXT = 48 };

enum jfc_value {
    JFC_VALUE_IS,    /* it is the option's value in `ret` */
    JFC_VALUE_NEVER, /* the event does not come at all */
};

/** What `value` is for an option of that row. Errors: E_SYNTAX it is no value. Context: any. */
int jfc_value_for(const struct options_row *row, const char *value, char ret[JFC_VALUE_TEXT]);
/**
 * The same of a throttle that is a period of each thread: a rate ("500/s") is that of all
 * `processors` together, each busy all the time. Source: CPUThrottleSetting, JDK 25.
 */
int jfc_value_throttle(const struct options_row *row, const char *value, long processors,
                       char ret[JFC_VALUE_TEXT]);
/** Whether `enabled` says yes. Errors: 0, E_SYNTAX. Context: any. */
int jfc_value_enabled(const char *value, bool *ret);
