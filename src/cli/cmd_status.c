/*
 * cmd_status.c - `hprof status TARGET [NAME]`: says what a running JVM records.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include "recording/agent_ask.h"

const struct cmd cmd_status = {
    .name = "status",
    .group = CMD_RECORDS,
    .help = "Say what a running JVM records",
    .operands = "TARGET [NAME]",
    .needs = "a live JVM",
    .options = agent_ask_options,
    .run = agent_ask_run,
};
