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
#include "options/options_group.h"
#include "options/options_on.h"

/* ---- triggers */

const char *agent_words_trigger(unsigned i)
{
    for (const struct options_group *const *group = options_group_all; *group; group++)
        if ((*group)->marks == options_on_marks && i-- == 0)
            return (*group)->name + strlen("on");
    return NULL;
}

/* Writes the names of all triggers for a message. */
static void list_triggers(char *ret, size_t size)
{
    const char *word;
    size_t n = 0;
    ret[0] = '\0';
    for (unsigned i = 0; n < size && (word = agent_words_trigger(i)) != NULL; i++)
        n += (size_t)snprintf(ret + n, size - n, "%s%s", n ? ", " : "", word);
}

static bool is_trigger(const char *name)
{
    for (int i = 0; options_group_all[i]; i++)
        if (options_group_all[i]->marks == options_on_marks &&
            strcmp(options_group_all[i]->name, name) == 0)
            return true;
    return false;
}

void agent_words_add_on(struct inject *in, const char *text)
{
    size_t len = strcspn(text, "=:>");
    const char *value = text[len] == '=' ? text + len + 1 : text + len;
    char name[32], all[128], *whole = NULL;
    snprintf(name, sizeof(name), "on%.*s", (int)(len < 16 ? len : 16), text);
    if (!is_trigger(name)) {
        list_triggers(all, sizeof(all));
        say("%s: --on '%s': triggers are %s, as in throw=java.io.IOException:dump", in->command,
            text, all);
        in->failed = true;
        return;
    }
    /* A trigger without a value gets "y": uncaught becomes onuncaught=y, uncaught:dump becomes
     * onuncaught=y:dump. */
    if (asprintf(&whole, "%s%s", *value == ':' || !*value ? "y" : "", value) < 0) {
        say("%s: %s", in->command, strerror(ENOMEM));
        in->failed = true;
        return;
    }
    inject_add(in, name, whole, "--on");
    free(whole);
}

/* ---- threads for samples of wall-clock time */

static const struct {
    const char *option, *shown;
    char between; /* separates words in the agent's option, which a comma would end */
} walls[] = {
    [AGENT_WORDS_OF_THREADS] = {"wallthreads", "--wall-threads", ':'},
    [AGENT_WORDS_OF_STATES] = {"wallstates", "--wall-states", '+'},
    [AGENT_WORDS_OF_DAEMON] = {"walldaemon", "--wall-daemon", ','},
};

/* Whether the agent will accept the value. If not, says why. */
static bool is_good(const struct cmd *cmd, enum agent_words_wall which, const char *value)
{
    const struct options_group *owner;
    const struct options_row *row = options_parse_row(walls[which].option, &owner);
    char why[OPTIONS_MESSAGE] = "out of memory", own_why[OWN_WORDS_MAX];
    void *own = calloc(1, owner->bytes);
    int error = own ? options_row_set(row, own, value, why, sizeof(why)) : -1;
    free(own);
    own_words_put(cmd, why, own_why, sizeof(own_why));
    if (error != 0)
        say("%s: %s '%s': %s", cmd->name, walls[which].shown, value, own_why);
    return error == 0;
}

void agent_words_add_wall(const struct cmd *cmd, struct inject *to, enum agent_words_wall which,
                          const char *value)
{
    char *text = strdup(value);
    for (char *p = text; p && *p != '\0'; p++)
        if (*p == ',')
            *p = walls[which].between;
    if (!text || !is_good(cmd, which, text))
        to->failed = true;
    else
        inject_add(to, walls[which].option, text, walls[which].shown);
    free(text);
}

/* ---- all options of a command that starts a recording */

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
        agent_words_add_wall(cmd, &w->items, (enum agent_words_wall)(id - AGENT_WORDS_WALL_THREADS),
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
