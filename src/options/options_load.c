/* options_load.c - see options_load.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_load.h"
#include "kind/kind.h"

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
