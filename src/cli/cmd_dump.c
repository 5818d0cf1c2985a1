/*
 * cmd_dump.c - `hprof dump TARGET [NAME]`: write what is recorded so far.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/cmd.h"
#include "cli/agent_ask.h"
#include "cli/asking.h"

static const struct opt options[] = {
    {ASKING_OPT_TIMEOUT, 0, "timeout", "TIME", ASKING_TIMEOUT_HELP},
    {0},
};

const struct cmd cmd_dump = {
    .name = "dump",
    .help = "Have a running JVM write what is recorded so far; the recording goes on",
    .operands = "TARGET [NAME]",
    .needs = "a live JVM",
    .options = options,
    .run = agent_ask_run,
};
