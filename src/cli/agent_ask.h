/*
 * agent_ask.h - commands that are a word to the agent and print its answer.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "cli/cmd.h"

/** Their options. */
extern const struct opt agent_ask_options[];

/** The word is the command's own name. For struct cmd. */
int agent_ask_run(const struct cmd *self, int argc, char **argv);
