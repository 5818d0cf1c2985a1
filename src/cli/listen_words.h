/*
 * listen_words.h - the commands that people and scripts give `hprof listen`, as words.
 *
 * A command is a word and its values, divided by blanks or colons; commands are divided by commas
 * or line ends. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "format/net_command.h"

enum listen_words_kind {
    LISTEN_WORDS_SEND, /* `command` to the agents */
    LISTEN_WORDS_WAIT, /* `wait_ns` before the next one */
    LISTEN_WORDS_QUIT, /* leave the agents alone and end */
    LISTEN_WORDS_HELP,
    LISTEN_WORDS_NOTHING, /* an empty command */
};

struct listen_words {
    enum listen_words_kind kind;
    struct net_command command;
    uint64_t wait_ns;
};

/**
 * Take the first command off `*text` and its divider with it. Errors: 0, or -EINVAL after saying
 * why, where `*text` is beyond that command as well.
 */
int listen_words_next(const char **text, struct listen_words *ret);
/** The table of commands. */
void listen_words_help(FILE *out);
