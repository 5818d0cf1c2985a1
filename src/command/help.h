/*
 * help.h - help texts, made from the rows of cmd_all[].
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdio.h>

struct cmd;

/** A placeholder in the help text of an option: it is replaced by the words of all series. */
#define HELP_SERIES "%series"

/** Prints what `hprof help` prints: each command in a line. */
void help_all(FILE *out);
/** Prints what `hprof help NAME` prints. */
void help_cmd(FILE *out, const struct cmd *cmd);
/** The command of this name. NULL: there is none, after naming the commands with similar names. */
const struct cmd *help_find(const char *name);
