/*
 * agent_options.c - see agent_options.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/agent_options.h"
#include <stdlib.h>
#include "agent/log.h"
#include "base/err.h"
#include "base/headroom.h"
#include "options/options_parse.h"
#include "options/options_scope.h"

enum { IDLE_MAX = 32 };

int agent_options_parse(const char *line, const char *environment, struct options *ret)
{
    struct options_error why;
    options_done(ret);
    if (options_parse(line, environment, ret, &why) != 0) {
        char *whole = options_parse_join(line, environment);
        log_error("hprof option error: %s (%s) [hprof " HPROF_VERSION "]", why.text,
                  whole ? whole : "");
        free(whole);
        return E_SYNTAX;
    }
    if (why.note[0])
        log_note("%s", why.note);
    return 0;
}

static void say_idle(const struct options *o)
{
    struct options_scope idle[IDLE_MAX];
    int count = options_scope_idle(o, idle, IDLE_MAX);
    for (int i = 0; i < count; i++)
        log_note("%s= has no effect without %s", idle[i].name, idle[i].needed);
}

/* The default of mem=: a share of the memory cgroup that does no harm if the cgroup is small. */
static uint64_t default_memory(void)
{
    enum { LEAST = 8 << 20 };
    struct headroom headroom;
    uint64_t bytes;
    headroom_open(&headroom, "/proc");
    bytes = headroom_share(&headroom);
    headroom_close(&headroom);
    return bytes < LEAST ? LEAST : bytes;
}

int agent_options_complete(struct options *o)
{
    struct options_error why;
    int error = options_parse_check_names(o, &why);
    if (error) {
        log_error("%s", why.text);
        return error;
    }
    say_idle(o);
    if (!o->mem_bytes)
        o->mem_bytes = default_memory();
    return 0;
}
