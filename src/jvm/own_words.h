/*
 * own_words.h - the options of the agent in the words of a command, and back: --interval is passed
 * on as interval=, and a user who wrote --output reads --output in a message, and not file=.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

struct cmd;

enum { OWN_WORDS_MAX = 1024 }; /* longest message in bytes, after the translation */

/** An option of the agent, and the option of commands that stands for it. */
struct own_word {
    const char *name, *value; /* name and value of the agent's option; value NULL: any value */
    const char *option;       /* the option of commands, without "--" */
    const char *shown;        /* its value; NULL: the value of the agent's option, "": none */
};

/** What the option of commands is passed on as; NULL: the agent has no option for it. Where several
 * options of the agent have one word, as with "event", it is the first of them. */
const struct own_word *own_words_of(const char *option);

/** Replaces each name=value in the text by the command's option for it, if there is one. `cmd`
 * NULL: nothing is replaced. A text that is too long is cut. */
void own_words_put(const struct cmd *cmd, const char *text, char *ret, size_t size);
/** Says a message about the agent's options in the name of the command. */
void own_words_say(const struct cmd *cmd, const char *text);
