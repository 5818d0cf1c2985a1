/*
 * cmd_counters.c - `hprof counters TARGET|FILE|CORE [PATTERN]`: HotSpot's performance counters.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include "jvm/asking.h"
#include "jvm/counters_text.h"
#include "command/opts.h"

enum { OPT_LONG = ASKING_OPT_OWN, OPT_JSON };

static const struct opt options[] = {
    {OPT_LONG, 'l', "long", NULL, "with unit, kind and stability of each"},
    {OPT_JSON, 0, "json", NULL, "print JSON"},
    ASKING_CORE_ROWS,
    {0},
};

static int run(const struct cmd *self, int argc, char **argv)
{
    struct asking_line line = {.q = {.cmd = self}};
    struct counters_text how = {0};
    struct opts opts;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        int status = -1;
        if (id == OPT_LONG)
            how.is_long = true;
        else if (id == OPT_JSON)
            how.is_json = true;
        else
            status = asking_take(&line, &opts, id);
        if (status >= 0)
            return status;
    }
    int status = asking_check(&line, 1);
    how.pattern = line.words[0];
    how.files = line.files;
    return status != 0 ? status : counters_text_print_target(self, line.q.target, &how);
}

const struct cmd cmd_counters = {
    .name = "counters",
    .group = CMD_LOOKS,
    .help = "Print the performance counters of a JVM, a saved file or a core",
    .operands = "TARGET|FILE|CORE [PATTERN]",
    .needs = "a live JVM, a file of counters or a core file",
    .options = options,
    .run = run,
};
