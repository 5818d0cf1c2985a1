/*
 * options_times.h - the options of method times (cpu=times, cpu=old).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

/** Which table; the values of options_group_asked(). */
enum options_times_table {
    OPTIONS_TIMES_NONE,
    OPTIONS_TIMES_METHODS, /* cpu=times */
    OPTIONS_TIMES_OLD,     /* cpu=old */
};

struct options_times {
    char clock[OPTIONS_ROW_WORD];   /* "": the best */
    char include[OPTIONS_ROW_TEXT]; /* patterns of the methods that are timed; "": all */
    char exclude[OPTIONS_ROW_TEXT]; /* patterns of the methods that are not timed */
    int intrinsics;                 /* methods that the JIT replaces are timed too */
    bool raw;                       /* also write a table of uncorrected times */
};

extern const struct options_group options_times;
/** The names of clocks, in the order of enum times_clock; NULL at the end. */
extern const char *const options_times_clocks[];

/** The options of method times. Context: any. */
static inline const struct options_times *options_times_of(const struct options *o)
{
    return options_group_own(o, &options_times);
}
