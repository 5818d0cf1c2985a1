/*
 * options_monitor.h - what the option string says of contention.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

/** What is measured: options_group_asked(). */
enum options_monitor {
    OPTIONS_MONITOR_OFF,
    OPTIONS_MONITOR_ENTERED, /* monitors */
    OPTIONS_MONITOR_ALL,     /* and parked threads */
};

extern const struct options_group options_monitor;
