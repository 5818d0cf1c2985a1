/* options_io.c - see options_io.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_io.h"
#include <math.h>
#include "kind/kind.h"

enum { DEFAULT_NS = 20000000 };

#define FILE_READ "jdk.FileRead"
#define FILE_WRITE "jdk.FileWrite"
#define FILE_FORCE "jdk.FileForce"
#define SOCKET_READ "jdk.SocketRead"
#define SOCKET_WRITE "jdk.SocketWrite"
#define SOCKET_CONNECT "hprof.SocketConnect"
#define SOCKET_ACCEPT "hprof.SocketAccept"

const char *const options_io_names[OPTIONS_IO_EVENTS] = {
    [OPTIONS_IO_FILE_READ] = FILE_READ,         [OPTIONS_IO_FILE_WRITE] = FILE_WRITE,
    [OPTIONS_IO_FILE_FORCE] = FILE_FORCE,       [OPTIONS_IO_SOCKET_READ] = SOCKET_READ,
    [OPTIONS_IO_SOCKET_WRITE] = SOCKET_WRITE,   [OPTIONS_IO_SOCKET_CONNECT] = SOCKET_CONNECT,
    [OPTIONS_IO_SOCKET_ACCEPT] = SOCKET_ACCEPT,
};

static const struct options_io defaults = {
    .threshold_ns = {DEFAULT_NS, DEFAULT_NS, DEFAULT_NS, DEFAULT_NS, DEFAULT_NS, DEFAULT_NS,
                     DEFAULT_NS},
    .rate = HUGE_VAL,
};

static const char *set_all(void *into, const char *value);

/* The row of one event's threshold. The parser gives a name with a # to the settings code, which
 * finds this row by its name. */
#define THRESHOLD(place, event)                                                                    \
    [place] = {event "#threshold", .kind = OPTIONS_ROW_TIME, .share = OPTIONS_ROW_LEAST,           \
               .at = offsetof(struct options_io, threshold_ns[place]),                             \
               .wrong = "io option value must be a time, such as 20ms"}

static const struct options_row rows[] = {
    THRESHOLD(OPTIONS_IO_FILE_READ, FILE_READ),
    THRESHOLD(OPTIONS_IO_FILE_WRITE, FILE_WRITE),
    THRESHOLD(OPTIONS_IO_FILE_FORCE, FILE_FORCE),
    THRESHOLD(OPTIONS_IO_SOCKET_READ, SOCKET_READ),
    THRESHOLD(OPTIONS_IO_SOCKET_WRITE, SOCKET_WRITE),
    THRESHOLD(OPTIONS_IO_SOCKET_CONNECT, SOCKET_CONNECT),
    THRESHOLD(OPTIONS_IO_SOCKET_ACCEPT, SOCKET_ACCEPT),
    [OPTIONS_IO_EVENTS] = {"io", .kind = OPTIONS_ROW_OWN, .part = OPTIONS_ROW_NEW, .set = set_all,
                           .values = "<time>", .about = "event=io: shortest call", .shown = "20ms",
                           .missing = "syntax error parsing io=time"},
    {"iorate", .share = OPTIONS_ROW_MOST, .kind = OPTIONS_ROW_RATE, .part = OPTIONS_ROW_NEW,
     .at = offsetof(struct options_io, rate), .values = "<n>/s|off",
     .about = "event=io: events at most", .shown = "off",
     .missing = "syntax error parsing iorate=n/s",
     .wrong = "iorate option value must be a rate, as 150/s, or off"},
    {0},
};

/* Sets io=, the threshold of all events. */
static const char *set_all(void *into, const char *value)
{
    char unused[OPTIONS_MESSAGE];
    for (int i = 0; i < OPTIONS_IO_EVENTS; i++)
        if (options_row_set(&rows[i], into, value, unused, sizeof(unused)) != 0)
            return rows[i].wrong;
    return NULL;
}

#define EVENT(event)                                                                               \
    {event, "enabled", .presets = {"false", "false"}},                                             \
        {event, "threshold", .option = event "#threshold"},                                        \
    {                                                                                              \
        event, "throttle", .option = "iorate"                                                      \
    }

static const struct options_setting settings[] = {
    EVENT(FILE_READ),    EVENT(FILE_WRITE),     EVENT(FILE_FORCE),    EVENT(SOCKET_READ),
    EVENT(SOCKET_WRITE), EVENT(SOCKET_CONNECT), EVENT(SOCKET_ACCEPT), {0},
};

static const struct options_ask asks[] = {{"event", "io", .value = 1}, {0}};

static unsigned marks(int asked, const void *own)
{
    return asked ? OPTIONS_MARK_ASKED | OPTIONS_MARK_COUNTS | OPTIONS_MARK_MOMENTS : 0;
}

const struct options_group options_io = {
    .name = "io",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
    .asks = asks,
    .settings = settings,
    .asked_by = "event=io",
    .asked_with = "io",
    .marks = marks,
    .kinds = 1 << KIND_IO,
};
