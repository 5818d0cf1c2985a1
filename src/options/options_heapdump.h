/*
 * options_heapdump.h - the options of heap dumps (heap=dump).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

struct options_heapdump {
    bool primfields, primarrays; /* dump fields and arrays of primitive types */
    bool longarrays;             /* dump the elements of long ones of these arrays */
    bool sites;                  /* write the allocation traces of objects */
    bool plain;                  /* write no constants of classes and no CONTROL SETTINGS */
    int redact;                  /* enum hprof_redact: write zeros in the place of values */
    char keep[OPTIONS_ROW_TEXT]; /* classes that keep them; the patterns of hprof_redact_rule */
    bool names;                  /* replace names, too */
};

extern const struct options_group options_heapdump;

/** The options of heap dumps. Context: any. */
static inline const struct options_heapdump *options_heapdump_of(const struct options *o)
{
    return options_group_own(o, &options_heapdump);
}
