/*
 * cmd_watch.c - `hprof watch [CONFIG]`: recordings of the JVMs of a machine, for ever, and their
 * way to a receiver.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <stdbool.h>
#include <stdio.h>
#include "command/help.h"
#include "command/opts.h"
#include "command/say.h"
#include "watch/watch.h"

#define USUAL "/etc/hprof/watch.conf"

enum { OPT_CHECK = 1, OPT_DRY };

static const struct opt options[] = {
    {OPT_CHECK, 0, "check", NULL,
     "check the configuration; list what would be recorded, and whether it can be"},
    {OPT_DRY, 0, "dry-run", NULL, "list what would be recorded, and its labels; touch nothing"},
    {0},
};

static int run(const struct cmd *self, int argc, char **argv)
{
    const char *path = NULL;
    bool checks = false, lists = false;
    struct opts opts;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        switch (id) {
        case OPT_CHECK:
            checks = true;
            break;
        case OPT_DRY:
            lists = true;
            break;
        case OPTS_HELP:
            help_cmd(stdout, self);
            return CMD_OK;
        case OPTS_WORD:
            if (!path) {
                path = opts.value;
                break;
            }
            say("watch: one configuration, not '%s' and '%s'", path, opts.value);
            return CMD_USAGE;
        default:
            return CMD_USAGE;
        }
    }
    path = path ? path : USUAL;
    return checks || lists ? watch_list(self, path, checks) : watch_run(self, path);
}

const struct cmd cmd_watch = {
    .name = "watch",
    .group = CMD_RECORDS,
    .help = "Keep recordings of the JVMs of a machine, and send them to a receiver",
    .operands = "[CONFIG]",
    .needs = "a file",
    .others = "parca-agent",
    .options = options,
    .run = run,
};
