/*
 * dry.c - reads a command line of the documents as `hprof` would, and does nothing.
 *
 *   dry hprof WORD...   the options of a command by its own table, and their values where these are
 *                       known before anything is done; the words that it can begin with
 *   dry agent STRING    an option string of the agent
 *
 * Exit status 0, or 2 after saying what is wrong, in the command's own words. Used by commands.py.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "recording/agent_words.h"
#include "command/cmd.h"
#include "command/help.h"
#include "jfrtool/jfrtool.h"
#include "command/opts.h"
#include "recording/request.h"
#include "command/say.h"
#include "format/format.h"
#include "options/options.h"
#include "options/options_command.h"
#include "options/options_parse.h"
#include "profile/series.h"

/* Whether the operands of the row begin with a list, as in a|b FILE, that lacks the word. */
static bool is_unknown(const struct cmd *cmd, const char *word)
{
    size_t list = strcspn(cmd->operands, " "), len = strlen(word);
    if (!memchr(cmd->operands, '|', list) || !islower((unsigned char)cmd->operands[0]))
        return false; /* FILE|PID stands for others */
    for (const char *at = cmd->operands; at < cmd->operands + list;) {
        size_t one = strcspn(at, "| ");
        if (one == len && memcmp(at, word, len) == 0)
            return false;
        at += one + 1;
    }
    return true;
}

static int take_operand(const struct cmd *cmd, const char *word, bool is_first)
{
    if (cmd->operands[0] == '\0') {
        say("%s: takes no operand, but '%s' is there", cmd->name, word);
        return CMD_USAGE;
    }
    if (is_first && is_unknown(cmd, word)) {
        say("%s: '%s' is none of %s", cmd->name, word, cmd->operands);
        return CMD_USAGE;
    }
    return CMD_OK;
}

/* Whether it has the options of commands that have the agent record. */
static bool has_agent_words(const struct cmd *cmd)
{
    return opts_row(cmd, "agent-option", strlen("agent-option")) && !cmd->ends_at_word;
}

/* What begins with a capital letter is a type of events, or stands for something else. */
static bool is_type(const char *word)
{
    return isupper((unsigned char)word[0]) || strpbrk(word, ".*");
}

/* A value of this option of this command: what the command itself says only later. */
static int take_value(const struct cmd *cmd, int id, const char *value)
{
    size_t len = value ? strlen(value) : 0, end = len > 3 && strcmp(value + len - 3, ".gz") == 0;
    const struct opt *row = cmd->options;
    char name[256];
    if (!value || len >= sizeof(name) || strncmp(cmd->name, "jfr", 3) == 0)
        return CMD_OK;
    while (row->id != id)
        row++;
    snprintf(name, sizeof(name), "%.*s", (int)(end ? len - 3 : len), value);
    bool is_event = strcmp(row->name, "event") == 0 && !has_agent_words(cmd);
    bool is_file = strcmp(row->name, "output") == 0 && strcmp(cmd->name, "report") == 0;
    bool is_format = strcmp(row->name, "to") == 0 && islower((unsigned char)value[0]);
    const char *listed = is_format && row->arg ? strstr(row->arg, value) : NULL;
    char after = listed ? listed[strlen(value)] : 'x';
    bool is_listed = listed && (after == '|' || after == '\0');

    if ((!is_event || is_type(value) || series_named(value)) &&
        (!is_file || format_for_file(name)) && (!is_format || is_listed || format_named(value)))
        return CMD_OK;
    say("%s: --%s does not take '%s'", cmd->name, row->name, value);
    return CMD_USAGE;
}

/* The second word of jfr view. */
static int take_view(const char *name)
{
    if (is_type(name) || jfr_named_is(name) || jfr_view_all_is(name))
        return CMD_OK;
    say("jfr: view '%s': there is none", name);
    return CMD_USAGE;
}

static int read_options(const struct cmd *cmd, int argc, char **argv)
{
    struct agent_words words = {.line.q.cmd = cmd, .items.command = cmd->name};
    struct opts opts;
    unsigned operands = 0;
    const char *first = "";
    int status = CMD_OK, id;
    opts_init(&opts, cmd, argc, argv);
    while (status == CMD_OK && (id = opts_next(&opts)) != OPTS_END && id != OPTS_HELP) {
        if (id == OPTS_ERROR)
            status = CMD_USAGE;
        else if (id == OPTS_WORD)
            status = take_operand(cmd, opts.value, operands == 0);
        else if (has_agent_words(cmd) && id < AGENT_WORDS_END)
            status = agent_words_take(&words, &opts, id) < 0 ? CMD_OK : CMD_USAGE;
        else
            status = take_value(cmd, id, opts.value);
        if (id == OPTS_WORD && operands == 1 && strcmp(first, "view") == 0)
            status = take_view(opts.value);
        if (id == OPTS_WORD && operands++ == 0)
            first = opts.value;
        if (id == OPTS_WORD && cmd->ends_at_word)
            break;
    }
    if (status == CMD_OK && has_agent_words(cmd)) {
        agent_words_end(&words);
        status = agent_words_check(&words, "");
    }
    inject_done(&words.items);
    return status;
}

static int read_run(const struct cmd *cmd, int argc, char **argv)
{
    struct request request;
    struct opts opts;
    opts_init(&opts, cmd, argc, argv);
    int id = request_parse(cmd, &opts, &request);
    request_done(&request);
    return id == OPTS_ERROR ? CMD_USAGE : CMD_OK;
}

static int read_command(int argc, char **argv)
{
    if (argc > 0 && (strcmp(argv[0], "--version") == 0 || strcmp(argv[0], "--help") == 0))
        return CMD_OK;
    const struct cmd *cmd = argc > 0 ? help_find(argv[0]) : NULL;
    if (!cmd)
        return CMD_USAGE;
    return cmd->options == request_options ? read_run(cmd, argc, argv)
                                           : read_options(cmd, argc, argv);
}

/* A command to an agent that is loaded, or the options of its start. */
static int read_agent(const char *line)
{
    struct options_command command;
    struct options options = {0};
    struct options_error why;
    int error = options_command_parse(line, &command, &why);
    if (error == 0 && command.word == OPTIONS_COMMAND_NONE)
        error = options_parse(line, NULL, &options, &why);
    else if (error == 0 && command.word == OPTIONS_COMMAND_START)
        error = options_parse(command.options, NULL, &options, &why);
    if (error == 0)
        error = options_parse_check_names(&options, &why);
    if (error)
        say("agent: %s", why.text);
    options_done(&options);
    options_command_done(&command);
    return error ? CMD_USAGE : CMD_OK;
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "hprof") == 0)
        return read_command(argc - 2, argv + 2);
    if (argc == 3 && strcmp(argv[1], "agent") == 0)
        return read_agent(argv[2]);
    say("usage: dry hprof WORD... | dry agent STRING");
    return CMD_USAGE;
}
