/*
 * stat_view.h - prints counters in columns of our own: the values now, and values of the last
 * collection.
 *
 * Since JDK 25 the VM updates the counter of the used heap only when it has collected; the counters
 * of metaspace were always like this. Such a number is followed by '*'.
 * Shenandoah counts each of its pauses as a full collection; here they are pauses.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct perfdata;

void stat_view_print_head(void);
/** `uptime_s` is how long the JVM has been running; negative: not known. `stop_s` is added to the
 * seconds of the counters for a stop that is not over. */
void stat_view_print_row(const struct perfdata *p, double uptime_s, double stop_s);
