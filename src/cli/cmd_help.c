/*
 * cmd_help.c - `hprof help [COMMAND|TOPIC]`: explains a command, or shows a manual page.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "command/help.h"
#include "command/opts.h"
#include "command/say.h"

/* A topic has only a manual page. */
static int show_topic(const struct help_topic *topic)
{
    char *path = NULL;
    int r = help_show_page(topic->page, &path);
    if (!path)
        say("help: there is no manual page %s beside this command; 'make install' installs it",
            topic->page);
    else
        say("help: cannot start the program man (%s); the page is %s", strerror(-r), path);
    free(path);
    return CMD_FAILED;
}

/* On a terminal the whole manual page is shown if possible. Otherwise the help is made from the
 * tables of options. */
static void show_command(const struct cmd *cmd)
{
    char page[64], *path = NULL;
    snprintf(page, sizeof(page), "hprof-%s.1", cmd->name);
    if (isatty(STDOUT_FILENO))
        (void)help_show_page(page, &path);
    free(path);
    help_cmd(stdout, cmd);
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct opts opts;
    const char *name = NULL;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        if (id == OPTS_ERROR)
            return CMD_USAGE;
        if (id == OPTS_HELP) {
            help_cmd(stdout, self);
            return CMD_OK;
        }
        if (name) {
            say("help: one command at a time, not also '%s'", opts.value);
            return CMD_USAGE;
        }
        name = opts.value;
    }
    if (!name) {
        help_all(stdout);
        return CMD_OK;
    }
    const struct help_topic *topic = help_find_topic(name);
    if (topic)
        return show_topic(topic);
    const struct cmd *cmd = help_find(name);
    if (!cmd)
        return CMD_USAGE;
    show_command(cmd);
    return CMD_OK;
}

static const struct opt options[] = {{0}};

const struct cmd cmd_help = {
    .name = "help",
    .group = CMD_ABOUT,
    .help = "Explain a command, or show the manual page of a topic",
    .operands = "[COMMAND|TOPIC]",
    .options = options,
    .run = run,
};
