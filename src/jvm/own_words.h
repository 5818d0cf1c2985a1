/*
 * own_words.h - translates messages about the agent's options into the words of a command: a user
 * who wrote --output reads --output in the message, and not file=.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

struct cmd;

enum { OWN_WORDS_MAX = 1024 }; /* longest message in bytes, after the translation */

/** Replaces each name=value in the text by the command's option for it, if there is one. `cmd`
 * NULL: nothing is replaced. A text that is too long is cut. */
void own_words_put(const struct cmd *cmd, const char *text, char *ret, size_t size);
/** Says a message about the agent's options in the name of the command. */
void own_words_say(const struct cmd *cmd, const char *text);
