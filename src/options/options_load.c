/*
 * options_load.c - the option event=load, the load of the process, which has no other options.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"
#include "options/options_group.h"

extern const struct options_group options_load;

static const struct options_ask asks[] = {{"event", "load", .value = 1}, {0}};

static const struct options_setting settings[] = {
    {"jdk.CPULoad", "enabled", .presets = {"true", "true"}},
    {"jdk.GCHeapMemoryUsage", "enabled", .presets = {"true", "true"}},
    {"jdk.JavaThreadStatistics", "enabled", .presets = {"true", "true"}},
    {"jdk.ResidentSetSize", "enabled", .presets = {"true", "true"}},
    {0},
};

static unsigned marks(int asked, const void *own)
{
    return asked ? OPTIONS_MARK_ASKED : 0;
}

const struct options_group options_load = {
    .name = "load",
    .asks = asks,
    .settings = settings,
    .asked_by = "event=load",
    .marks = marks,
    .kinds = 1 << KIND_LOAD | 1 << KIND_LEVEL,
};
