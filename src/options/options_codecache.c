/* options_codecache.c - see options_codecache.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_codecache.h"
#include "kind/kind.h"
#include "safe/clock.h"

static const struct options_codecache defaults = {.interval_ns = (uint64_t)10 * NS_PER_S};

static const struct options_row rows[] = {
    {"codecache", .share = OPTIONS_ROW_LEAST, .kind = OPTIONS_ROW_TIME, .part = OPTIONS_ROW_NEW,
     .at = offsetof(struct options_codecache, interval_ns), .least = NS_PER_S, .values = "<time>",
     .about = "event=codecache: interval of looks", .shown = "10s",
     .missing = "syntax error parsing codecache=time",
     .wrong = "codecache option value must be a time, 1s or more, such as 10s"},
    {0},
};

static const struct options_ask asks[] = {{"event", "codecache", .value = 1}, {0}};

static const struct options_setting settings[] = {
    {"jdk.CodeCacheStatistics", "enabled", .presets = {"false", "false"}},
    {"jdk.CodeCacheFull", "enabled", .presets = {"false", "false"}},
    {0},
};

static unsigned marks(int asked, const void *own)
{
    return asked ? OPTIONS_MARK_ASKED | OPTIONS_MARK_MOMENTS : 0;
}

const struct options_group options_codecache = {
    .name = "codecache",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
    .asks = asks,
    .settings = settings,
    .asked_by = "event=codecache",
    .asked_with = "codecache",
    .marks = marks,
    .kinds = 1 << KIND_CODE_CACHE,
};
