/* options_vthread.c - see options_vthread.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_vthread.h"
#include "kind/kind.h"
#include "safe/clock.h"

static const struct options_vthread defaults = {.threshold_ns = (uint64_t)20 * NS_PER_MS};

static const struct options_row rows[] = {
    {"vthread", .share = OPTIONS_ROW_LEAST, .kind = OPTIONS_ROW_TIME, .part = OPTIONS_ROW_NEW,
     .at = offsetof(struct options_vthread, threshold_ns), .values = "<time>",
     .about = "event=vthread: shortest pinned time", .shown = "20ms",
     .missing = "syntax error parsing vthread=time",
     .wrong = "vthread option value must be a time, such as 20ms"},
    {0},
};

static const struct options_setting settings[] = {
    {"jdk.VirtualThreadPinned", "enabled", .presets = {"false", "false"}},
    {"jdk.VirtualThreadPinned", "threshold", .option = "vthread"},
    {"jdk.VirtualThreadStart", "enabled", .presets = {"false", "false"}},
    {"jdk.VirtualThreadEnd", "enabled", .presets = {"false", "false"}},
    {0},
};

static const struct options_ask asks[] = {{"event", "vthread", .value = 1}, {0}};

static unsigned marks(int asked, const void *own)
{
    return asked ? OPTIONS_MARK_ASKED | OPTIONS_MARK_COUNTS | OPTIONS_MARK_MOMENTS : 0;
}

const struct options_group options_vthread = {
    .name = "vthread",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
    .asks = asks,
    .settings = settings,
    .asked_by = "event=vthread",
    .asked_with = "vthread",
    .marks = marks,
    .kinds = 1 << KIND_VTHREAD,
};
