/*
 * own_words.h - what the agent's options are called on a command line: a message of theirs in the
 * words of who wrote --output, and not file=.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

struct cmd;

enum { OWN_WORDS_MAX = 1024 }; /* bytes of a message, also where it has grown */

/** Each name=value of an option that the command has a word of its own for, as that word; all else
 * stays. `cmd` NULL: all stays. What does not fit is cut. */
void own_words_put(const struct cmd *cmd, const char *text, char *ret, size_t size);
/** Says a message of the agent's options in the name of the command. */
void own_words_say(const struct cmd *cmd, const char *text);
