/*
 * help.c - see help.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/help.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/nearest.h"
#include "command/beside.h"
#include "command/cmd.h"
#include "command/say.h"
#include "profile/series.h"

/* ---- manual pages */

static const char *const folders[] = {
    "../../../docs/man", /* the build tree, which lies inside the source tree */
    "../share/man/man*", /* an installation */
    NULL,
};

const struct help_topic help_topics[] = {
    {"agent", "the agent and its options", "hprof-agent.7"},
    {"asgst", "the stack walking library", "libasgst.3"},
    {"hprofjfr", "the library that reads JFR recordings", "libhprofjfr.3"},
    {0},
};

const struct help_topic *help_find_topic(const char *name)
{
    for (const struct help_topic *topic = help_topics; topic->name; topic++)
        if (strcmp(topic->name, name) == 0)
            return topic;
    return NULL;
}

int help_show_page(const char *page, char **ret_path)
{
    char packed[64];
    int r;
    *ret_path = NULL;
    snprintf(packed, sizeof(packed), "%s*", page); /* installed pages may be packed, as in .gz */
    r = beside_find(folders, packed, ret_path);
    if (r < 0)
        return r;
    (void)fflush(NULL);
    if (isatty(STDOUT_FILENO))
        execlp("man", "man", *ret_path, (char *)NULL);
    else
        execlp("man", "man", "-P", "cat", *ret_path, (char *)NULL);
    return -errno;
}

/* ---- help texts */

enum { COMMAND_COLUMN = 12, OPTION_COLUMN = 32 };

const struct opt help_row = {.letter = 'h', .name = "help", .help = "print this help"};

static const char *const group_titles[CMD_GROUPS] = {
    [CMD_RECORDS] = "record what a program does", [CMD_READS] = "read recordings and profiles",
    [CMD_LOOKS] = "look at JVMs and their heaps", [CMD_ACTS] = "have a JVM do something",
    [CMD_ABOUT] = "this program itself",
};

void help_all(FILE *out)
{
    fputs("usage: hprof COMMAND [OPTION...] [ARGUMENT...]\n"
          "       hprof --version | --help\n"
          "\n"
          "Profiles Java programs and reads the profiles.\n",
          out);
    for (enum cmd_group group = 0; group < CMD_GROUPS; group++) {
        fprintf(out, "\n%s:\n", group_titles[group]);
        for (const struct cmd *const *cmd = cmd_all; *cmd; cmd++)
            if ((*cmd)->group == group)
                fprintf(out, "  %-*s%s\n", COMMAND_COLUMN, (*cmd)->name, (*cmd)->help);
    }
    fputs("\n'hprof help COMMAND' explains one command, and shows its manual page on a terminal.\n",
          out);
    for (const struct help_topic *topic = help_topics; topic->name; topic++)
        fprintf(out, "'hprof help %s' shows the manual page of %s.\n", topic->name, topic->what);
}

void help_option_text(FILE *out, const struct opt *row)
{
    const char *list = strstr(row->help, HELP_SERIES);
    fprintf(out, "%.*s", list ? (int)(list - row->help) : (int)strlen(row->help), row->help);
    for (const struct series *each = series_next(NULL); list && each; each = series_next(each))
        fprintf(out, " %s", each->word);
    fputs(list ? list + strlen(HELP_SERIES) : "", out);
}

static void help_option(FILE *out, const struct opt *row)
{
    char left[OPTION_COLUMN + 64];
    int len = row->letter != '\0' ? snprintf(left, sizeof(left), "-%c, ", row->letter)
                                  : snprintf(left, sizeof(left), "    ");
    snprintf(left + len, sizeof(left) - (size_t)len, "--%s%s%s", row->name,
             row->arg && *row->arg != '[' ? " " : "", row->arg ? row->arg : "");
    fprintf(out, "  %-*s ", OPTION_COLUMN - 1, left);
    help_option_text(out, row);
    fputc('\n', out);
}

void help_cmd(FILE *out, const struct cmd *cmd)
{
    fprintf(out, "usage: hprof %s [OPTION...]%s%s\n\n", cmd->name,
            *cmd->operands != '\0' ? " " : "", cmd->operands);
    fprintf(out, "%s.\n", cmd->help);
    if (cmd->needs)
        fprintf(out, "Needs %s.\n", cmd->needs);
    fputs("\noptions:\n", out);
    for (const struct opt *row = cmd->options; row->name; row++)
        help_option(out, row);
    help_option(out, &help_row);
}

/* Whether another tool has this word for what the command does. */
static bool is_other(const struct cmd *cmd, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = cmd->others; at && *at; at += strspn(at, " ")) {
        size_t word = strcspn(at, " ");
        if (word == len && memcmp(at, name, len) == 0)
            return true;
        at += word;
    }
    return false;
}

/* The text "'hprof run'" or "'hprof histo' or 'hprof dump-heap'": the commands that do what this
 * word means to another tool; otherwise the commands whose names have the smallest distance. NULL:
 * none. */
static char *meant_names(const char *name, unsigned distance)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    const char *between = "";
    bool is_word = false;
    if (!out)
        return NULL;
    for (const struct cmd *const *cmd = cmd_all; *cmd; cmd++)
        is_word |= is_other(*cmd, name);
    for (const struct cmd *const *cmd = cmd_all; *cmd; cmd++) {
        if (is_word ? !is_other(*cmd, name)
                    : distance == NEAREST_FAR || nearest_distance(name, (*cmd)->name) != distance)
            continue;
        fprintf(out, "%s'hprof %s'", between, (*cmd)->name);
        between = " or ";
    }
    bool has_names = *between != '\0';
    if (fclose(out) == 0 && has_names)
        return text;
    free(text);
    return NULL;
}

const struct cmd *help_named(const char *name)
{
    for (const struct cmd *const *cmd = cmd_all; *cmd; cmd++)
        if (strcmp((*cmd)->name, name) == 0)
            return *cmd;
    return NULL;
}

const struct cmd *help_find(const char *name)
{
    const struct cmd *found = help_named(name);
    unsigned best = NEAREST_FAR;
    if (found)
        return found;
    for (const struct cmd *const *cmd = cmd_all; *cmd; cmd++) {
        unsigned distance = nearest_distance(name, (*cmd)->name);
        best = distance < best ? distance : best;
    }
    char *names = meant_names(name, best);
    if (names)
        say("unknown command '%s'; did you mean %s?", name, names);
    else
        say("unknown command '%s'; 'hprof help' lists the commands", name);
    free(names);
    return NULL;
}
