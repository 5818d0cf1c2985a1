/*
 * agent_words.c - see agent_words.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "recording/agent_words.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command/cmd.h"
#include "command/opts.h"
#include "jvm/own_words.h"
#include "command/say.h"
#include "command/values.h"
#include "options/options.h"
#include "options/options_command.h"
#include "options/options_parse.h"
#include "profile/series.h"

/* Users of other profilers write cpu,alloc. The agent separates its options by commas, so the names
 * are joined by '+'. */
static void add_event(struct agent_words *w, const char *names)
{
    char *text = strdup(names);
    w->has_event = true;
    for (char *p = text; p && *p != '\0'; p++)
        if (*p == ',')
            *p = '+';
    inject_add(&w->items, "event", text ? text : names, "--event");
    for (char *rest = text, *word; !w->drawn && (word = strsep(&rest, "+")) != NULL;)
        w->drawn = series_named(word);
    free(text);
}

/* The agent opens the settings file inside the JVM, whose current folder is another one. So the
 * path is made absolute. */
static int add_settings(struct agent_words *w, const char *file)
{
    char path[PATH_MAX];
    if (!realpath(file, path)) {
        say("%s: settings=%s: %s; settings are default, profile or a .jfc file",
            w->line.q.cmd->name, file, strerror(errno));
        return CMD_USAGE;
    }
    inject_add(&w->items, "settings", path, "--agent-option");
    return w->items.failed ? CMD_USAGE : -1;
}

static int add_other(struct agent_words *w, const char *pair)
{
    static const char settings[] = "settings=";
    const char *value = pair + strlen(settings);
    if (strncmp(pair, settings, strlen(settings)) == 0) {
        w->has_event = w->has_depth = true; /* the settings say what is measured and how */
        if (*value && *value != '/' && strcmp(value, "default") != 0 &&
            strcmp(value, "profile") != 0)
            return add_settings(w, value);
    }
    w->has_depth |= strncmp(pair, "depth=", strlen("depth=")) == 0;
    inject_add_raw(&w->items, pair, "--agent-option");
    return w->items.failed ? CMD_USAGE : -1;
}

int agent_words_take(struct agent_words *w, const struct opts *opts, int id)
{
    const struct cmd *cmd = w->line.q.cmd;
    char number[32];
    uint32_t frames;
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
    case AGENT_WORDS_DEPTH:
        if (values_count(cmd, "depth", opts->value, OPTIONS_DEPTH_MAX, &frames) < 0)
            return CMD_USAGE;
        w->has_depth = true;
        snprintf(number, sizeof(number), "%u", frames);
        inject_add(&w->items, "depth", number, "--depth");
        return -1;
    case AGENT_WORDS_THREADS:
        inject_add(&w->items, "thread", "y", "--threads");
        return -1;
    case AGENT_WORDS_WALL_THREADS:
    case AGENT_WORDS_WALL_STATES:
    case AGENT_WORDS_WALL_DAEMON:
        wall_words_add(cmd, &w->items, (enum wall_words)(id - AGENT_WORDS_WALL_THREADS),
                       opts->value);
        return w->items.failed ? CMD_USAGE : -1;
    case AGENT_WORDS_OTHER:
        return add_other(w, opts->value);
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
    if (!w->has_depth)
        inject_add_raw(&w->items, "depth=512", "--depth");
}

int agent_words_check(const struct agent_words *w, const char *more)
{
    struct options options = {0};
    struct options_command command = {0};
    struct options_error why;
    char *line = NULL;
    int error = -ENOMEM;
    if (w->library)
        return 0;
    if (asprintf(&line, "start,%s%s", w->items.text ? w->items.text : "", more) >= 0) {
        error = options_command_parse(line, &command, &why);
        if (error == 0)
            error = options_parse(command.options, NULL, &options, &why);
        options_done(&options);
        options_command_done(&command);
        free(line);
    }
    if (error)
        own_words_say(w->line.q.cmd, error == -ENOMEM ? strerror(ENOMEM) : why.text);
    return error ? CMD_USAGE : 0;
}
