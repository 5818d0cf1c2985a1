/* options_monitor.c - see options_monitor.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_monitor.h"
#include "kind/kind.h"

static const struct options_row rows[] = {
    {"monitor", .kind = OPTIONS_ROW_ASK, .part = OPTIONS_ROW_MEASURED,
     .about = "monitor contention", .shown = "n"},
    {0},
};

static const struct options_ask asks[] = {
    {"monitor", "y", .value = OPTIONS_MONITOR_ENTERED},
    {"monitor", "n", .value = OPTIONS_MONITOR_OFF},
    {"monitor", "all", .value = OPTIONS_MONITOR_ALL, .is_hidden = true},
    {"event", "monitor", .value = OPTIONS_MONITOR_ENTERED},
    {0},
};

static unsigned marks(int asked, const void *own)
{
    return asked ? OPTIONS_MARK_ASKED | OPTIONS_MARK_ALL_TRACES | OPTIONS_MARK_COUNTS |
                       OPTIONS_MARK_ENTERS
                 : 0;
}

const struct options_group options_monitor = {
    .name = "monitor",
    .rows = rows,
    .asks = asks,
    .asked_by = "monitor=y",
    .marks = marks,
    .kinds = 1 << KIND_ENTER,
};
