/*
 * cmd_formats.c - `hprof formats`: the registered file formats.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <stdio.h>
#include "command/help.h"
#include "command/opts.h"
#include "command/say.h"
#include "format/format.h"

enum { NAME_COLUMN = 14, SUFFIX_COLUMN = 20, WAYS_COLUMN = 11 };

static int run(const struct cmd *self, int argc, char **argv)
{
    struct opts opts;
    opts_init(&opts, self, argc, argv);
    switch (opts_next(&opts)) {
    case OPTS_END:
        for (const struct format *const *format = format_all; *format; format++)
            printf("%-*s %-*s %-*s %s\n", NAME_COLUMN, (*format)->name, SUFFIX_COLUMN,
                   (*format)->suffixes, WAYS_COLUMN,
                   !(*format)->writer   ? "read"
                   : !(*format)->reader ? "write"
                                        : "read, write",
                   (*format)->help);
        return CMD_OK;
    case OPTS_HELP:
        help_cmd(stdout, self);
        return CMD_OK;
    case OPTS_WORD:
        say("formats: takes no argument, not '%s'", opts.value);
        return CMD_USAGE;
    default:
        return CMD_USAGE;
    }
}

static const struct opt options[] = {{0}};

const struct cmd cmd_formats = {
    .name = "formats",
    .group = CMD_READS,
    .help = "List the file formats that can be read and written",
    .operands = "",
    .options = options,
    .run = run,
};
