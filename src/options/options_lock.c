/* options_lock.c - see options_lock.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_lock.h"

enum { DEFAULT_NS = 10000 };

static const struct options_lock defaults = {.threshold_ns = DEFAULT_NS};

static const struct options_row rows[] = {
    {"lock", .share = OPTIONS_ROW_LEAST, .kind = OPTIONS_ROW_TIME, .part = OPTIONS_ROW_NEW,
     .at = offsetof(struct options_lock, threshold_ns), .values = "<time>",
     .about = "event=lock: shortest wait", .shown = "10us",
     .missing = "syntax error parsing lock=time",
     .wrong = "lock option value must be a time, such as 10ms"},
    {0},
};

/* One threshold is for all three, as it is in the JDK's own settings. */
#define BLOCKED(name)                                                                              \
    {name, "enabled", .presets = {"true", "true"}},                                                \
    {                                                                                              \
        name, "threshold", .option = "lock", .presets = { "20 ms", "10 ms" }                       \
    }

static const struct options_setting settings[] = {
    BLOCKED("jdk.JavaMonitorEnter"),
    BLOCKED("jdk.JavaMonitorWait"),
    BLOCKED("jdk.ThreadPark"),
    {0},
};

static const struct options_ask asks[] = {{"event", "lock", .value = 1}, {0}};

static unsigned marks(int asked, const void *own)
{
    return asked ? OPTIONS_MARK_ASKED | OPTIONS_MARK_COUNTS | OPTIONS_MARK_ENTERS : 0;
}

const struct options_group options_lock = {
    .name = "lock",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
    .asks = asks,
    .settings = settings,
    .asked_by = "event=lock",
    .asked_with = "lock", /* as async-profiler's users know it: lock=10ms */
    .marks = marks,
    .not_binary = "event=lock is not supported with format=b",
};
