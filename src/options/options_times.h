/*
 * options_times.h - what the option string says of method times.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

/** Which table: options_group_asked(). */
enum options_times_table {
    OPTIONS_TIMES_NONE,
    OPTIONS_TIMES_METHODS, /* cpu=times */
    OPTIONS_TIMES_OLD,     /* cpu=old */
};

struct options_times {
    char clock[OPTIONS_ROW_WORD];   /* "" = the best */
    char include[OPTIONS_ROW_TEXT]; /* patterns of methods that are looked at; "" = all */
    char exclude[OPTIONS_ROW_TEXT]; /* and of those that are not */
    int intrinsics;                 /* methods that the JIT replaces are counted too */
    bool raw;                       /* a table of uncorrected times too */
};

extern const struct options_group options_times;
/** The names of clocks, in the order of enum times_clock; NULL at the end. */
extern const char *const options_times_clocks[];

/** What the option string says of method times. Context: any. */
static inline const struct options_times *options_times_of(const struct options *o)
{
    return options_group_own(o, &options_times);
}
