/*
 * cmd_complete.c - `hprof complete -- WORD...`: the words that may stand at the cursor of a command
 * line, for the completion of shells.
 *
 * The scripts in completions/ call this command. It reads the rows of the commands and /proc, and
 * writes no error: a command line that is being typed is not wrong yet.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/candidates.h"
#include "cli/completion_rule.h"
#include "command/help.h"
#include "command/opts.h"
#include "command/say.h"

static const struct opt *row_of_id(const struct cmd *cmd, int id)
{
    const struct opt *row = cmd->options;
    while (row->name && row->id != id)
        row++;
    return row->name ? row : NULL;
}

/* An option as a candidate, with its help. */
static void add_option(const struct opt *row, const char *word, struct candidates *c)
{
    char *about = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&about, &size);
    if (out) {
        help_option_text(out, row);
        if (fclose(out) != 0) {
            free(about);
            about = NULL;
        }
    }
    candidates_add(c, word, about);
    free(about);
}

static void add_options(const struct cmd *cmd, struct candidates *c)
{
    char word[64];
    for (const struct opt *row = cmd->options; row; row = row == &help_row ? NULL : row + 1) {
        row = row->name ? row : &help_row;
        snprintf(word, sizeof(word), "-%c", row->letter);
        if (row->letter != '\0' && strcmp(c->word, "-") == 0)
            add_option(row, word, c);
        snprintf(word, sizeof(word), "--%s", row->name);
        add_option(row, word, c);
    }
}

/* The last word has not been read yet: it is an option, an option with its value, or an operand. */
static void complete_last(const struct completion_rule_place *p, bool is_operand,
                          struct candidates *c)
{
    const char *equals = strchr(c->word, '=');
    const struct opt *row = NULL;
    if (is_operand || c->word[0] != '-') {
        completion_rule_operand(p, c);
        return;
    }
    if (strncmp(c->word, "--", 2) == 0 && equals) {
        row = opts_row(p->cmd, c->word + 2, (size_t)(equals - c->word - 2));
        c->front = (size_t)(equals + 1 - c->word);
    } else if (c->word[1] != '-' && c->word[1] != '\0' && c->word[2] != '\0') {
        for (row = p->cmd->options; row->name && row->letter != c->word[1];)
            row++;
        c->front = 2;
    } else {
        add_options(p->cmd, c);
        return;
    }
    if (row && row->name && row->arg)
        completion_rule_option(p, row, c);
}

/* Completes the last of `words`, the first of which is the name of the command. */
static void complete(const struct cmd *cmd, int count, char **words)
{
    struct candidates c = {.word = words[count - 1]};
    struct completion_rule_place p = {.cmd = cmd};
    struct opts o;
    opts_init(&o, cmd, count, words);
    o.is_silent = true;
    while (o.bundle || o.next < count - 1) {
        int id = opts_next(&o);
        p.word = o.next - 1;
        if (id > 0 && o.value == c.word) {
            completion_rule_option(&p, row_of_id(cmd, id), &c);
            return;
        }
        if (id != OPTS_WORD)
            continue;
        if (o.value == c.word || completion_rule_is_command(&p)) {
            completion_rule_operand(&p, &c);
            return;
        }
        p.first = p.first ? p.first : o.value;
        p.operand++;
    }
    p.word = count - 1;
    if (o.next == count - 1)
        complete_last(&p, o.words_only, &c);
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct opts opts;
    opts_init(&opts, self, argc, argv);
    switch (opts_next(&opts)) {
    case OPTS_WORD:
        break;
    case OPTS_HELP:
        help_cmd(stdout, self);
        return CMD_OK;
    case OPTS_END:
        say("complete: which command line? usage: hprof complete -- WORD...; the scripts of "
            "shells call it");
        return CMD_USAGE;
    default:
        return CMD_USAGE;
    }
    int count = argc - opts.next + 1;
    char **words = argv + opts.next - 1;
    const struct cmd *cmd = count > 1 ? help_named(words[0]) : NULL;
    if (cmd)
        complete(cmd, count, words);
    else if (count == 1)
        completion_rule_commands(NULL, &(struct candidates){.word = words[0]});
    return CMD_OK;
}

static const struct opt options[] = {{0}};

const struct cmd cmd_complete = {
    .name = "complete",
    .group = CMD_ABOUT,
    .help = "Print the words that may come next, for the completion of shells",
    .operands = "-- WORD...",
    .options = options,
    .ends_at_word = true,
    .run = run,
};
