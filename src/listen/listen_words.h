/*
 * listen_words.h - parses the commands that people and scripts give to `hprof listen`.
 *
 * A command is a word and its values, separated by blanks or colons. Commands are separated by
 * commas or line ends.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "format/net_command.h"

enum listen_words_kind {
    LISTEN_WORDS_SEND, /* send `command` to the agents */
    LISTEN_WORDS_WAIT, /* wait `wait_ns` before the next command */
    LISTEN_WORDS_QUIT, /* end, and leave the agents running */
    LISTEN_WORDS_HELP,
    LISTEN_WORDS_NOTHING, /* an empty command */
};

struct listen_words {
    enum listen_words_kind kind;
    struct net_command command;
    uint64_t wait_ns;
};

/**
 * Takes the first command and its separator off *text. Errors: 0, or -EINVAL after saying why;
 * *text is after that command in both cases.
 */
int listen_words_next(const char **text, struct listen_words *ret);
/** Prints the table of commands. */
void listen_words_help(FILE *out);
