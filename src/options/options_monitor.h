/*
 * options_monitor.h - the options of contention (monitor=, event=monitor).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

/** The kinds of contention to measure; the values of options_group_asked(). */
enum options_monitor {
    OPTIONS_MONITOR_OFF,
    OPTIONS_MONITOR_ENTERED, /* contended enters of monitors */
    OPTIONS_MONITOR_ALL,     /* enters of monitors, and parked threads */
};

extern const struct options_group options_monitor;
