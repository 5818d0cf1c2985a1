/*
 * options_testing.c - see options_testing.h.
 *
 * This file is compiled twice. OPTIONS_OF_TESTS is set for the agent of the tests, whose list of
 * groups has this group at the end.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options_testing.h"

static const struct options_testing defaults = {.dump_stuck_s = 60, .proc = "/proc"};

#ifdef OPTIONS_OF_TESTS

#define AT(field) .at = offsetof(struct options_testing, field)

static const struct options_row rows[] = {
    {"dumptest", .kind = OPTIONS_ROW_NUMBER, AT(dumptest)},
    {"selftest", .kind = OPTIONS_ROW_SWITCH, AT(selftest)},
    {"timescost", .kind = OPTIONS_ROW_NUMBER, AT(times_cost_ns)},
    {"timesboth", .kind = OPTIONS_ROW_SWITCH, AT(timesboth)},
    {"noreader", .kind = OPTIONS_ROW_NUMBER, AT(noreader)},
    {"proc", .kind = OPTIONS_ROW_TEXT_OF, AT(proc)},
    {"dumpstuck", .kind = OPTIONS_ROW_NUMBER, AT(dump_stuck_s)},
    {"threadlate", .kind = OPTIONS_ROW_NUMBER, AT(thread_late_ms)},
    {0},
};

extern const struct options_group options_testing;
const struct options_group options_testing = {
    .name = "testing",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
};

const struct options_testing *options_testing_of(const struct options *o)
{
    return options_group_own(o, &options_testing);
}

#else

const struct options_testing *options_testing_of(const struct options *o)
{
    return &defaults;
}

#endif
