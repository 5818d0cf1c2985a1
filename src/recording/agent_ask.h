/*
 * agent_ask.h - commands that send one word to the agent in a JVM and print its answer.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "command/cmd.h"

/** The options of these commands. */
extern const struct opt agent_ask_options[];

/** For struct cmd: sends the command's own name as the word. */
int agent_ask_run(const struct cmd *self, int argc, char **argv);
