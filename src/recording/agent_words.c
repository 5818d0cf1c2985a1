/*
 * agent_words.c - see agent_words.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "recording/agent_words.h"
#include <errno.h>
#include <inttypes.h>
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
#include "options/options_ask.h"
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

/* ---- options that are passed on */

/* What separates the words of a list in the agent's option, where a comma would end the option. */
static const struct {
    const char *name;
    char between;
} lists[] = {{"wallthreads", ':'}, {"wallstates", '+'}, {"event", '+'}};

void agent_words_refuse(const struct cmd *cmd, const char *shown, const char *text, const char *why)
{
    char own[OWN_WORDS_MAX];
    own_words_put(cmd, why, own, sizeof(own));
    say("%s: --%s '%s': %s", cmd->name, shown, text, own);
}

/* Refuses a value outside the row's range. The message shows the bound as the user could type
 * it. */
static int check_range(const struct cmd *cmd, const char *shown, const char *text,
                       const struct options_row *row, uint64_t value)
{
    char why[48];
    bool is_time = row->kind == OPTIONS_ROW_TIME;
    if (value < row->least && is_time)
        snprintf(why, sizeof(why), "%" PRIu64 "us at least", row->least / 1000);
    else if (value < row->least)
        snprintf(why, sizeof(why), "%" PRIu64 "m at least", row->least >> 20);
    else if (row->most && value > row->most)
        snprintf(why, sizeof(why), "%" PRIu64 "g at most", row->most >> 30);
    else
        return 0;
    agent_words_refuse(cmd, shown, text, why);
    return -EINVAL;
}

/* Asks the agent's own reader of the option whether it will accept the value. */
static int check_text(const struct cmd *cmd, const char *shown, const char *text,
                      const struct options_row *row, const struct options_group *owner)
{
    char why[OPTIONS_MESSAGE] = "out of memory";
    void *own = calloc(1, owner->bytes);
    int error = own ? options_row_set(row, own, text, why, sizeof(why)) : -ENOMEM;
    free(own);
    if (error)
        agent_words_refuse(cmd, shown, text, why);
    return error;
}

/* Changes the value to the form that the agent needs, by the kind of the option's row. Negative
 * after saying why. */
static int to_agents(const struct cmd *cmd, const char *shown, const char *name, char *text,
                     size_t size)
{
    const struct options_group *owner;
    const struct options_row *row = options_parse_row(name, &owner);
    char why[OPTIONS_MESSAGE];
    uint64_t value = 0;
    uint32_t count = 0;
    double fraction;
    int error = 0;
    switch (row->kind) {
    case OPTIONS_ROW_TIME:
        error = values_duration(cmd, shown, text, &value);
        error = error ? error : check_range(cmd, shown, text, row, value);
        snprintf(text, size, "%" PRIu64 "ns", value);
        return error;
    case OPTIONS_ROW_SECONDS:
        error = values_seconds(cmd, shown, text, &value);
        snprintf(text, size, "%" PRIu64 "ns", value);
        return error;
    case OPTIONS_ROW_SIZE:
        error = values_size(cmd, shown, text, &value);
        return error ? error : check_range(cmd, shown, text, row, value);
    case OPTIONS_ROW_COUNT:
        error = values_count(cmd, shown, text, (uint32_t)row->most, &count);
        snprintf(text, size, "%" PRIu32, count);
        return error;
    case OPTIONS_ROW_FRACTION:
        return values_fraction(cmd, shown, text, &fraction);
    case OPTIONS_ROW_WORD_OF:
        error = options_row_check(row, text, why, sizeof(why));
        if (error)
            agent_words_refuse(cmd, shown, text, why);
        return error;
    default:
        return owner ? check_text(cmd, shown, text, row, owner) : 0;
    }
}

/* The value with the agent's mark between the words of a list, in `size` bytes. Owner: the caller,
 * free(). */
static char *value_of(const char *name, const char *given, size_t *ret_size)
{
    enum { NUMBER = 32 }; /* a value that is read and written again is not longer */
    *ret_size = strlen(given) + NUMBER;
    char *text = malloc(*ret_size);
    if (!text)
        return NULL;
    snprintf(text, *ret_size, "%s", given);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        for (char *p = text; strcmp(lists[i].name, name) == 0 && *p != '\0'; p++)
            if (*p == ',')
                *p = lists[i].between;
    return text;
}

void agent_words_pass(const struct cmd *cmd, struct inject *to, const char *option,
                      const char *given)
{
    const struct own_word *word = own_words_of(option);
    size_t size;
    char *text = word->shown ? strdup(word->value) : value_of(word->name, given, &size);
    char shown[32];
    snprintf(shown, sizeof(shown), "--%s", option);
    if (!text)
        say("%s: %s", cmd->name, strerror(ENOMEM));
    if (!text || (!word->shown && to_agents(cmd, option, word->name, text, size) < 0))
        to->failed = true;
    else
        inject_add(to, word->name, text, shown);
    free(text);
}

/* If a word of --event is NAME=VALUE, and NAME is the option of which any value asks for an engine:
 * its row, and the name and the value apart. Otherwise NULL, and the word is unchanged. */
static const struct options_row *own_option(char *word, const struct options_group **ret_owner,
                                            const char **ret_value)
{
    char *equals = strchr(word, '=');
    const struct options_row *row = NULL;
    if (!equals)
        return NULL;
    *equals = '\0';
    row = options_parse_row(word, ret_owner);
    if (row && *ret_owner && (*ret_owner)->asked_with &&
        strcmp((*ret_owner)->asked_with, word) == 0) {
        *ret_value = equals + 1;
        return row;
    }
    *equals = '=';
    return NULL;
}

/* Takes a word that may be an option of its own. Returns whether it is one. */
static bool add_own(const struct cmd *cmd, struct inject *to, char *word,
                    const struct series **drawn)
{
    const struct options_group *owner;
    const char *value;
    const struct options_row *row = own_option(word, &owner, &value);
    if (!row)
        return false;
    if (check_text(cmd, "event", value, row, owner) != 0)
        to->failed = true;
    else
        inject_add(to, word, value, "--event");
    if (!*drawn)
        *drawn = series_named(word);
    return true;
}

void agent_words_add_event(const struct cmd *cmd, struct inject *to, const char *names,
                           const struct series **drawn)
{
    size_t size, used = 0;
    char *text = value_of("event", names, &size), *others = text ? calloc(1, size) : NULL;
    bool has_others = false, has_own = false;
    for (char *rest = text, *word; others && (word = strsep(&rest, "+")) != NULL;) {
        if (add_own(cmd, to, word, drawn)) {
            has_own = true;
            continue;
        }
        used += (size_t)snprintf(others + used, size - used, "%s%s", has_others ? "+" : "", word);
        has_others = true;
        if (!*drawn)
            *drawn = series_named(word);
    }
    if (has_others || !has_own)
        inject_add(to, "event", others ? others : names, "--event");
    free(others);
    free(text);
}

int agent_words_check_event(const struct cmd *cmd, const char *names)
{
    const struct options_group *owner;
    const struct options_row *event = options_parse_row("event", &owner);
    size_t size, used = 0;
    char *text = value_of("event", names, &size), *others = text ? calloc(1, size) : NULL;
    char why[OPTIONS_MESSAGE];
    const char *value;
    bool has_own = false, has_others = false;
    int error = others ? 0 : -ENOMEM;
    for (char *rest = text, *word; others && (word = strsep(&rest, "+")) != NULL;) {
        if (own_option(word, &owner, &value)) {
            has_own = true;
            continue;
        }
        used += (size_t)snprintf(others + used, size - used, "%s%s", has_others ? "+" : "", word);
        has_others = true;
    }
    if (!error && (has_others || !has_own)) {
        error = options_ask_some(NULL, event, others, why, sizeof(why));
        if (error)
            agent_words_refuse(cmd, "event", names, why);
    }
    free(others);
    free(text);
    return error;
}

/* ---- all options of a command that starts a recording */

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
    static const char *const passed[] = {"interval",     "depth",       "threads",
                                         "wall-threads", "wall-states", "wall-daemon"};
    const struct cmd *cmd = w->line.q.cmd;
    switch (id) {
    case AGENT_WORDS_EVENT:
        w->has_event = true;
        agent_words_add_event(cmd, &w->items, opts->value, &w->drawn);
        return w->items.failed ? CMD_USAGE : -1;
    case AGENT_WORDS_INTERVAL:
    case AGENT_WORDS_DEPTH:
    case AGENT_WORDS_THREADS:
    case AGENT_WORDS_WALL_THREADS:
    case AGENT_WORDS_WALL_STATES:
    case AGENT_WORDS_WALL_DAEMON:
        w->has_depth |= id == AGENT_WORDS_DEPTH;
        agent_words_pass(cmd, &w->items, passed[id - AGENT_WORDS_INTERVAL], opts->value);
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
    int error = -ENOMEM, missing = 0;
    if (w->library)
        return 0;
    if (asprintf(&line, "start,%s%s", w->items.text ? w->items.text : "", more) >= 0) {
        error = options_command_parse(line, &command, &why);
        if (error == 0)
            error = options_parse(command.options, NULL, &options, &why);
        if (error == 0)
            missing = options_group_works_here(&options, why.text, sizeof(why.text));
        options_done(&options);
        options_command_done(&command);
        free(line);
    }
    /* the JVM may have rights that this command lacks, and says so otherwise */
    if (missing == -EACCES || missing == -EPERM)
        missing = 0;
    if (error || missing)
        own_words_say(w->line.q.cmd, error == -ENOMEM ? strerror(ENOMEM) : why.text);
    return error ? CMD_USAGE : missing ? CMD_FAILED : 0;
}
