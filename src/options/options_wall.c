/* options_wall.c - see options_wall.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_wall.h"

enum { DEFAULT_NS = 50000000, LEAST_NS = 1000000 };

static const struct options_wall defaults = {.interval_ns = DEFAULT_NS};

static const struct options_row rows[] = {
    {"wall", .share = OPTIONS_ROW_FIXED_IF_SAID, .kind = OPTIONS_ROW_TIME, .part = OPTIONS_ROW_NEW,
     .at = offsetof(struct options_wall, interval_ns), .least = LEAST_NS, .values = "<time>",
     .about = "event=wall: interval", .shown = "50ms", .missing = "syntax error parsing wall=time",
     .wrong = "wall option value must be a time, 1ms or more, such as 50ms"},
    {0},
};

static const struct options_ask asks[] = {{"event", "wall", .value = 1}, {0}};

static unsigned marks(int asked, const void *own)
{
    return asked ? OPTIONS_MARK_ASKED | OPTIONS_MARK_COUNTS : 0;
}

const struct options_group options_wall = {
    .name = "wall",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
    .asks = asks,
    .asked_by = "event=wall",
    .asked_with = "wall", /* as async-profiler's users know it: wall=50ms */
    .marks = marks,
    .not_binary = "event=wall is not supported with format=b",
};
