/*
 * agent_words.c - see agent_words.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/agent_words.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cmd.h"
#include "cli/opts.h"
#include "cli/say.h"
#include "cli/values.h"

/* cpu,alloc is what users of other profilers write; commas part the agent's options. */
static void add_event(struct agent_words *w, const char *names)
{
    char *text = strdup(names);

    w->has_event = true;
    for (char *p = text; p && *p != '\0'; p++)
        if (*p == ',')
            *p = '+';
    inject_add(&w->items, "event", text ? text : names, "--event");
    free(text);
}

int agent_words_take(struct agent_words *w, const struct opts *opts, int id)
{
    const struct cmd *cmd = w->line.q.cmd;
    char number[32];
    uint64_t ns;

    switch (id) {
    case AGENT_WORDS_EVENT:
        add_event(w, opts->value);
        return w->items.failed ? CMD_USAGE : -1;
    case AGENT_WORDS_INTERVAL:
        if (values_duration(cmd, "interval", opts->value, &ns) < 0)
            return CMD_USAGE;
        snprintf(number, sizeof(number), "%lluns", (unsigned long long)ns);
        inject_add(&w->items, "interval", number, "--interval");
        return -1;
    case AGENT_WORDS_THREADS:
        inject_add(&w->items, "thread", "y", "--threads");
        return -1;
    case AGENT_WORDS_OTHER:
        inject_add_raw(&w->items, opts->value, "--agent-option");
        return w->items.failed ? CMD_USAGE : -1;
    case AGENT_WORDS_LIBRARY:
        w->library = opts->value;
        return -1;
    default:
        return asking_take(&w->line, opts, id);
    }
}

void agent_words_end(struct agent_words *w)
{
    if (!w->has_event)
        inject_add(&w->items, "event", "cpu", "--event");
}
