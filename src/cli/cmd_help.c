/*
 * cmd_help.c - `hprof help [COMMAND]`.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/cmd.h"
#include <stddef.h>
#include "cli/help.h"
#include "cli/opts.h"
#include "cli/say.h"

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
        if (name != NULL) {
            say("help: one command at a time, not also '%s'", opts.value);
            return CMD_USAGE;
        }
        name = opts.value;
    }
    if (name == NULL) {
        help_all(stdout);
        return CMD_OK;
    }
    const struct cmd *cmd = help_find(name);
    if (cmd == NULL)
        return CMD_USAGE;
    help_cmd(stdout, cmd);
    return CMD_OK;
}

static const struct opt options[] = {{0}};

const struct cmd cmd_help = {
    .name = "help",
    .help = "Explain a command",
    .operands = "[COMMAND]",
    .options = options,
    .run = run,
};
