/*
 * cmd_version.c - `hprof version`, also `hprof --version`.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <stdio.h>
#include "cli/build_id.h"
#include "cli/commit.h"
#include "command/opts.h"
#include "command/help.h"
#include "command/say.h"

static int run(const struct cmd *self, int argc, char **argv)
{
    char build_id[BUILD_ID_TEXT];
    struct opts opts;
    opts_init(&opts, self, argc, argv);
    switch (opts_next(&opts)) {
    case OPTS_END:
        build_id_put(build_id);
        printf("hprof %s (commit %s, build id %s)\n", HPROF_VERSION, COMMIT,
               build_id[0] != '\0' ? build_id : "none");
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
    .help = "Print the version, the commit and the build id",
    .operands = "",
    .options = options,
    .run = run,
};
