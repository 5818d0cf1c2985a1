/*
 * opts.c - parses options by a table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/opts.h"
#include <string.h>
#include "command/cmd.h"
#include "base/nearest.h"
#include "command/say.h"

void opts_init(struct opts *o, const struct cmd *cmd, int argc, char **argv)
{
    *o = (struct opts){.cmd = cmd, .argc = argc, .argv = argv, .next = 1};
}

const struct opt *opts_row(const struct cmd *cmd, const char *name, size_t len)
{
    for (const struct opt *row = cmd->options; row->name; row++)
        if (strlen(row->name) == len && memcmp(row->name, name, len) == 0)
            return row;
    return NULL;
}

static const struct opt *find_letter(const struct cmd *cmd, char letter)
{
    for (const struct opt *row = cmd->options; row->name; row++)
        if (row->letter == letter)
            return row;
    return NULL;
}

/* Why the command has no such option, although others have; NULL: it is simply unknown. */
static const char *refusal_of(const struct cmd *cmd, const char *name, size_t len)
{
    for (const struct opt_refused *row = cmd->refuses; row && row->name; row++)
        if (strlen(row->name) == len && memcmp(row->name, name, len) == 0)
            return row->why;
    return NULL;
}

static int unknown_name(const struct opts *o, const char *name, size_t len)
{
    const struct cmd *cmd = o->cmd;
    const char *why = refusal_of(cmd, name, len);
    char typed[64];
    const struct opt *best = NULL;
    unsigned best_distance = NEAREST_FAR;
    if (len < sizeof(typed)) {
        memcpy(typed, name, len);
        typed[len] = '\0';
        for (const struct opt *row = cmd->options; row->name; row++) {
            unsigned distance = nearest_distance(typed, row->name);
            if (distance < best_distance) {
                best = row;
                best_distance = distance;
            }
        }
    }
    if (o->is_silent)
        return OPTS_ERROR;
    if (why)
        say("%s: --%.*s: %s", cmd->name, (int)len, name, why);
    else if (best)
        say("%s: unknown option --%.*s; did you mean --%s?", cmd->name, (int)len, name, best->name);
    else
        say("%s: unknown option --%.*s; 'hprof help %s' lists the options", cmd->name, (int)len,
            name, cmd->name);
    return OPTS_ERROR;
}

/* The value of an option is the rest of the option's word, or the next word. */
static int take_value(struct opts *o, const struct opt *row, const char *dashes,
                      const char *attached)
{
    char letter[2] = {row->letter, '\0'};
    o->value = attached ? attached : o->next < o->argc ? o->argv[o->next++] : NULL;
    if (o->value)
        return row->id;
    if (!o->is_silent)
        say("%s: option %s%s needs a value: %s", o->cmd->name, dashes,
            dashes[1] == '\0' ? letter : row->name, row->arg);
    return OPTS_ERROR;
}

static int next_long(struct opts *o, const char *name)
{
    const char *equals = strchr(name, '=');
    size_t len = equals ? (size_t)(equals - name) : strlen(name);
    const struct opt *row = opts_row(o->cmd, name, len);
    if (!row) {
        if (strcmp(name, "help") == 0)
            return OPTS_HELP;
        return unknown_name(o, name, len);
    }
    if (row->arg && (equals || *row->arg != '['))
        return take_value(o, row, "--", equals ? equals + 1 : NULL);
    if (!equals)
        return row->id;
    if (!o->is_silent)
        say("%s: option --%s takes no value", o->cmd->name, row->name);
    return OPTS_ERROR;
}

static int next_letter(struct opts *o)
{
    char letter = *o->bundle++;
    const char *rest = *o->bundle != '\0' ? o->bundle : NULL;
    const struct opt *row = find_letter(o->cmd, letter);
    o->bundle = rest;
    if (!row) {
        if (letter == 'h')
            return OPTS_HELP;
        if (!o->is_silent)
            say("%s: unknown option -%c; 'hprof help %s' lists the options", o->cmd->name, letter,
                o->cmd->name);
        return OPTS_ERROR;
    }
    if (!row->arg)
        return row->id;
    o->bundle = NULL;
    return take_value(o, row, "-", rest);
}

int opts_next(struct opts *o)
{
    o->value = NULL;
    if (o->bundle)
        return next_letter(o);
    if (o->next >= o->argc)
        return OPTS_END;

    const char *word = o->argv[o->next++];
    if (!o->words_only && strcmp(word, "--") == 0) {
        o->words_only = true;
        return opts_next(o);
    }
    /* A word "-" is an operand; it usually means standard input. */
    if (o->words_only || word[0] != '-' || word[1] == '\0') {
        o->value = word;
        return OPTS_WORD;
    }
    if (word[1] == '-')
        return next_long(o, word + 2);
    o->bundle = word + 1;
    return next_letter(o);
}
