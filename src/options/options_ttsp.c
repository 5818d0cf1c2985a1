/* options_ttsp.c - see options_ttsp.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_ttsp.h"
#include "kind/kind.h"
#include "safe/clock.h"

static const struct options_ttsp defaults = {.threshold_ns = (uint64_t)2 * NS_PER_MS};

static const struct options_row rows[] = {
    {"ttsp", .share = OPTIONS_ROW_LEAST, .kind = OPTIONS_ROW_TIME, .part = OPTIONS_ROW_NEW,
     .at = offsetof(struct options_ttsp, threshold_ns), .values = "<time>",
     .about = "event=ttsp: shortest time to safepoint", .shown = "2ms",
     .missing = "syntax error parsing ttsp=time",
     .wrong = "ttsp option value must be a time, such as 10ms"},
    {0},
};

static const struct options_setting settings[] = {
    {"hprof.TimeToSafepoint", "enabled", .presets = {"false", "false"}},
    {"hprof.TimeToSafepoint", "threshold", .option = "ttsp"},
    {0},
};

static const struct options_ask asks[] = {{"event", "ttsp", .value = 1}, {0}};

static unsigned marks(int asked, const void *own)
{
    return asked ? OPTIONS_MARK_ASKED | OPTIONS_MARK_COUNTS | OPTIONS_MARK_MOMENTS : 0;
}

const struct options_group options_ttsp = {
    .name = "ttsp",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
    .asks = asks,
    .settings = settings,
    .asked_by = "event=ttsp",
    .asked_with = "ttsp", /* --ttsp of async-profiler */
    .marks = marks,
    .kinds = 1 << KIND_TTSP,
};
