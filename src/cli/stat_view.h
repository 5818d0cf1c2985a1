/*
 * stat_view.h - counters in columns of our own: what is so, and what was so at the last collection.
 *
 * Since JDK 25 the VM writes down how much of the heap is used when it has collected, and not in
 * between; metaspace has always been so. Such a number has a '*' behind it.
 * Shenandoah counts each of its pauses as a full collection; here they are pauses.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct perfdata;

void stat_view_print_head(void);
/** `uptime_s` is how long the JVM has been running, negative: not known; `stop_s` what a stop that
 * lasts adds to the seconds of the counters. */
void stat_view_print_row(const struct perfdata *p, double uptime_s, double stop_s);
