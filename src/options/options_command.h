/*
 * options_command.h - the command to an agent that is loaded already: `start,…`, `stop`, `dump`,
 * `status`, `list`.
 *
 * A command is the argument of a second load of the agent into the same JVM. Its first item, up to
 * a comma, is one of the words below; a string that begins otherwise is an option string, which no
 * word of these can begin (to the option string's grammar each is an unknown option). The items
 * behind the word are parted by commas:
 *
 *   answer=PATH   the file that gets the answer; any command
 *   protocol=N    the version of answers that the caller can read; any command
 *   name=NAME     the recording that is meant, or that begins; all but list
 *   lease=TIME    the recording ends when nobody has asked for it for so long; start
 *   held=y        the file has no name where the file system can do that: whoever asks opens it by
 *                 the descriptor that the answer gives, and holds it by a shared lock; the
 *                 recording ends when nobody does any more; start
 *   id=N          the recording that is meant, by its number; stop, dump, status
 *   file=PATH     the recording that writes to this file; stop, dump, status (of start it is an
 *                 option)
 *   NAME          the same as name=NAME; stop, dump, status
 *
 * All else behind `start` is an option string for options_parse(). Grammar: docs/man/hprof-agent.7.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options.h"

enum {
    OPTIONS_COMMAND_PROTOCOL = 1, /* the version of answers that this agent writes */
    OPTIONS_COMMAND_NAME = 64,    /* longest name of a recording */
};

enum options_command_word {
    OPTIONS_COMMAND_NONE, /* no command: an option string */
    OPTIONS_COMMAND_START,
    OPTIONS_COMMAND_STOP,
    OPTIONS_COMMAND_DUMP,
    OPTIONS_COMMAND_STATUS,
    OPTIONS_COMMAND_LIST,
};

struct options_command {
    enum options_command_word word;
    unsigned protocol;                   /* as the caller said it; 0: it did not */
    char answer[OPTIONS_VALUE + 1];      /* "" = nobody waits for an answer */
    char name[OPTIONS_COMMAND_NAME + 1]; /* of the recording; "" = not said */
    uint64_t lease_ns;                   /* of start; 0 = none */
    bool is_held;                        /* of start: held=y */
    unsigned id;                         /* of the recording; 0 = not said */
    char file[OPTIONS_VALUE + 1];        /* of the recording; "" = not said */
    char *options;                       /* of start, for options_parse(); else "" */
};

/**
 * Parse `line` (NULL: empty).
 *
 * Shape:   `ret` is filled also after an error: an answer that was asked for can still say why.
 * Errors:  0, with word OPTIONS_COMMAND_NONE where `line` is an option string; E_SYNTAX with
 * *ret_error filled; -ENOMEM, also with a text.
 * Context: any.   Owner: options_command_done(ret), whatever comes back.
 */
int options_command_parse(const char *line, struct options_command *ret,
                          struct options_error *ret_error);
void options_command_done(struct options_command *c);
/** "start"; "" for OPTIONS_COMMAND_NONE. */
const char *options_command_text(enum options_command_word word);
