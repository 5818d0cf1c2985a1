/*
 * cmd_dump.c - `hprof dump TARGET [NAME]`: writes what has been recorded so far.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include "recording/agent_ask.h"

const struct cmd cmd_dump = {
    .name = "dump",
    .group = CMD_RECORDS,
    .help = "Have a running JVM write what is recorded so far; the recording goes on",
    .operands = "TARGET [NAME]",
    .needs = "a live JVM",
    .options = agent_ask_options,
    .run = agent_ask_run,
};
