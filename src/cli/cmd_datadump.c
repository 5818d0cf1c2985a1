/*
 * cmd_datadump.c - `hprof datadump TARGET`: have a JVM do what it does on SIGQUIT, without a
 * signal. SPDX-License-Identifier: Apache-2.0
 */
#include "cli/cmd.h"
#include "cli/asking.h"
#include "cli/opts.h"

static const struct opt options[] = {
    {ASKING_OPT_TIMEOUT, 0, "timeout", "TIME", ASKING_TIMEOUT_HELP},
    {0},
};

static int ask(struct attach *a, const struct jvm *jvm, void *with)
{
    (void)with;
    return asking_print(a, jvm, "datadump", NULL, 0);
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct asking_line line = {.q = {.cmd = self}};
    struct opts opts;

    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        int status = asking_take(&line, &opts, id);
        if (status >= 0)
            return status;
    }
    int status = asking_check(&line, 0);
    return status != 0 ? status : asking_each(&line.q, ask, NULL);
}

const struct cmd cmd_datadump = {
    .name = "datadump",
    .help = "Have a JVM print its threads on its own output, and its agents dump",
    .operands = "TARGET",
    .needs = "a live JVM",
    .options = options,
    .run = run,
};
