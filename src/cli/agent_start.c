/*
 * agent_start.c - see agent_start.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/agent_start.h"
#include <stdbool.h>
#include <stdint.h>
#include "cli/jvm_target.h"
#include "cli/say.h"
#include "cli/stat_table.h"
#include "cli/stat_value.h"
#include "safe/clock.h"

enum {
    PATIENCE_S = 5,
    FEW_AT_A_TIME = 11, /* the last JDK on which the agent changes classes so */
};

struct wait {
    const struct agent_link *link;
    uint64_t began_ns;
    bool is_told;
};

/* Where counters are missing the release is unknown, and nothing is said. */
static void tell(void *with)
{
    struct wait *w = with;
    const struct perfdata *counters = &w->link->attach->counters.data;

    if (w->is_told || clock_monotonic_ns() - w->began_ns < PATIENCE_S * UINT64_C(1000000000))
        return;
    w->is_told = true;
    if (stat_table_release(counters) <= FEW_AT_A_TIME)
        say("%s: the agent changes loaded classes a few at a time, while the program works on; "
            "here are %.0f, and on JDK 8 to 11 thousands take minutes; Ctrl-C ends the waiting; "
            "-O include=PACKAGE.* measures fewer",
            jvm_target_name(w->link->jvm),
            stat_value_number(counters, STAT_VALUE_LOADED_CLASSES, true));
}

int agent_start(struct agent_link *l, const char *command)
{
    struct attach_socket *s = &l->attach->socket;
    struct wait w = {.link = l, .began_ns = clock_monotonic_ns()};

    s->waits = tell;
    s->waits_with = &w;
    int status = agent_link_send(l, command);
    s->waits = NULL;
    return status;
}
