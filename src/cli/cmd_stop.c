/*
 * cmd_stop.c - `hprof stop TARGET [NAME]`: ends a recording.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include "recording/agent_ask.h"

const struct cmd cmd_stop = {
    .name = "stop",
    .group = CMD_RECORDS,
    .help = "Have a running JVM end a recording and write it",
    .operands = "TARGET [NAME]",
    .needs = "a live JVM",
    .options = agent_ask_options,
    .run = agent_ask_run,
};
