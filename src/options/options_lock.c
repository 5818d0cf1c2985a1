/* options_lock.c - see options_lock.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_lock.h"
#include "kind/kind.h"

enum { DEFAULT_NS = 10000 };

static const struct options_lock defaults = {.threshold_ns = {DEFAULT_NS, DEFAULT_NS, DEFAULT_NS}};

static const char *set_all(void *into, const char *value);

/* The row of one event's threshold. The parser gives a name with a # to the settings code, which
 * finds this row by its name. */
#define THRESHOLD(place, event)                                                                    \
    [place] = {event "#threshold", .kind = OPTIONS_ROW_TIME, .share = OPTIONS_ROW_LEAST,           \
               .at = offsetof(struct options_lock, threshold_ns[place]),                           \
               .wrong = "lock option value must be a time, such as 10ms"}

static const struct options_row rows[] = {
    THRESHOLD(OPTIONS_LOCK_ENTER, "jdk.JavaMonitorEnter"),
    THRESHOLD(OPTIONS_LOCK_WAIT, "jdk.JavaMonitorWait"),
    THRESHOLD(OPTIONS_LOCK_PARK, "jdk.ThreadPark"),
    [OPTIONS_LOCK_EVENTS] = {"lock", .kind = OPTIONS_ROW_OWN, .part = OPTIONS_ROW_NEW,
                             .set = set_all, .values = "<time>",
                             .about = "event=lock: shortest wait", .shown = "10us",
                             .missing = "syntax error parsing lock=time"},
    {0},
};

/* Sets lock=, the threshold of all three events. */
static const char *set_all(void *into, const char *value)
{
    char unused[OPTIONS_MESSAGE];
    for (int i = 0; i < OPTIONS_LOCK_EVENTS; i++)
        if (options_row_set(&rows[i], into, value, unused, sizeof(unused)) != 0)
            return rows[i].wrong;
    return NULL;
}

#define BLOCKED(event)                                                                             \
    {event, "enabled", .presets = {"true", "true"}},                                               \
    {                                                                                              \
        event, "threshold", .option = event "#threshold", .presets = { "20 ms", "10 ms" }          \
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
    return asked ? OPTIONS_MARK_ASKED | OPTIONS_MARK_COUNTS | OPTIONS_MARK_ENTERS |
                       OPTIONS_MARK_MOMENTS
                 : 0;
}

const struct options_group options_lock = {
    .name = "lock",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
    .asks = asks,
    .settings = settings,
    .asked_by = "event=lock",
    .asked_with = "lock", /* async-profiler's users write lock=10ms alone */
    .marks = marks,
    .kinds = 1 << KIND_ENTER | 1 << KIND_AWAIT,
};
