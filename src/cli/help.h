/*
 * help.h - help texts, made from the rows of cmd_all[].
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdio.h>

struct cmd;

/** In the help text of an option: the words of all series stand here. */
#define HELP_SERIES "%series"

/** What `hprof help` prints: every command in a line. */
void help_all(FILE *out);
/** What `hprof help NAME` prints. */
void help_cmd(FILE *out, const struct cmd *cmd);
/** The command of this name; or NULL, after saying which ones are near. */
const struct cmd *help_find(const char *name);
