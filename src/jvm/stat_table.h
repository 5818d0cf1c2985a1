/*
 * stat_table.h - prints counters in columns: those of jstat, as the jstat of the JVM's own JDK
 * does, or our own. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct heap_counters;
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
void stat_table_print_head(const struct stat_table *t);
void stat_table_print_row(const struct stat_table *t, const struct perfdata *p);

/* ---- columns of our own: the values now, and values of the last collection
 *
 * Since JDK 25 the VM updates the counter of the used heap only when it has collected; the counters
 * of metaspace were always like this. Such a number is followed by '*'.
 * Shenandoah counts each of its pauses as a full collection; here they are pauses. */

void stat_table_print_own_head(void);
/** `heap` is what heap_counters_read() found in the counters. `uptime_s` is how long the JVM has
 * been running; negative: not known. `stop_s` is added to the seconds of the counters for a stop
 * that is not over. */
void stat_table_print_own_row(const struct perfdata *p, const struct heap_counters *heap,
                              double uptime_s, double stop_s);
