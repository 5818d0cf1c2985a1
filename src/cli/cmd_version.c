/*
 * cmd_version.c - `hprof version`, also `hprof --version`.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <stdio.h>
#include "command/opts.h"
#include "command/help.h"
#include "command/say.h"

static int run(const struct cmd *self, int argc, char **argv)
{
    struct opts opts;
    opts_init(&opts, self, argc, argv);
    switch (opts_next(&opts)) {
    case OPTS_END:
        printf("hprof %s\n", HPROF_VERSION);
        return CMD_OK;
    case OPTS_HELP:
        help_cmd(stdout, self);
        return CMD_OK;
    case OPTS_WORD:
        say("version: takes no argument, not '%s'", opts.value);
        return CMD_USAGE;
    default:
        return CMD_USAGE;
    }
}

static const struct opt options[] = {{0}};

const struct cmd cmd_version = {
    .name = "version",
    .group = CMD_ABOUT,
    .help = "Print the version",
    .operands = "",
    .options = options,
    .run = run,
};
