/*
 * stat_table.h - prints counters in the columns of jstat, as the jstat of the JVM's own JDK does.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct perfdata;

struct stat_table {
    const char *option; /* for example gcutil; borrowed */
    bool has_time;      /* the first column: how long the JVM has been running, in seconds */
    int release;        /* release of the JDK: 8, 11, ... */
};

/** Whether there is an option of that name. */
bool stat_table_is_option(const char *word);
/** All options, separated by blanks. */
const char *stat_table_options(void);
/** The release of the JDK that wrote these counters; the newest release if they do not say. */
int stat_table_release(const struct perfdata *p);
void stat_table_print_head(const struct stat_table *t);
void stat_table_print_row(const struct stat_table *t, const struct perfdata *p);
