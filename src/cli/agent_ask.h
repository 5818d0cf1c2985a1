/*
 * agent_ask.h - commands that are a word to the agent and print its answer.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct cmd;

/** The word is the command's own name. For struct cmd. */
int agent_ask_run(const struct cmd *self, int argc, char **argv);
