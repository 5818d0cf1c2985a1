/*
 * amount.h - numbers with units as people write them and our tables print them: "0.1ms",
 * "1 m 3 s", "4 kB", "12.5%".
 *
 * All units that our tables print can be read, and the prefixes mean the same: 1 kB is 1,024 bytes.
 * A number with an unknown unit is an error. "inf" and "nan" are no numbers.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/** What a number means. */
enum amount {
    AMOUNT_PLAIN,
    AMOUNT_SPAN, /* nanoseconds, which a number without a unit has, too */
    AMOUNT_BYTES,
    AMOUNT_BITS,
    AMOUNT_HERTZ,
    AMOUNT_SHARE, /* 1 is the whole */
};

/** A span without end: 2^63 nanoseconds. */
#define AMOUNT_EVER 9223372036854775808.0

/** Read the whole text as a number. `is_rate`: "/s" may stand behind the unit. Errors: 0;
 * E_SYNTAX. */
int amount_parse(enum amount of, bool is_rate, const char *text, double *ret_number);
/** What amount_parse() takes, for a message: "a number is wanted". */
const char *amount_wanted(enum amount of);
