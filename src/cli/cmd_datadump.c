/*
 * cmd_datadump.c - `hprof datadump TARGET`: makes a JVM do what it does on SIGQUIT, without a
 * signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include "jvm/asking.h"

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
    int status = asking_read(&line, argc, argv, 0);
    return status >= 0 ? status : asking_each(&line.q, ask, NULL);
}

const struct cmd cmd_datadump = {
    .name = "datadump",
    .group = CMD_ACTS,
    .help = "Have a JVM print its threads on its own output, and its agents dump",
    .operands = "TARGET",
    .needs = "a live JVM",
    .options = options,
    .run = run,
};
