/*
 * options_command.h - commands to an agent that is loaded already: `start,…`, `stop`, `dump`,
 * `status`, `list`, `malloc`.
 *
 * A command is the argument of a second load of the agent into the same JVM. Its first item is one
 * of the words below. A string that begins with anything else is an option string. No option string
 * can begin with one of these words, because each would be an unknown option. The items after the
 * word are separated by commas:
 *
 *   answer=PATH   the file that gets the answer; for every command
 *   protocol=N    the version of answers that the caller can read; for every command
 *   name=NAME     the recording that the command is for, or that begins; for start, stop, dump,
 *                 status
 *   lease=TIME    the recording ends if no command has asked for it for so long; for start
 *   held=y        the file gets no name if the file system can do that. The caller opens it through
 *                 the descriptor in the answer and holds it with a shared lock. The recording ends
 *                 when nobody holds it any more; for start
 *   id=N          the number of the recording; for stop, dump, status
 *   file=PATH     the recording that writes to this file; for stop, dump, status (after start it is
 *                 an option)
 *   NAME          the same as name=NAME; for stop, dump, status
 *   trim=y        the C library gives free memory back to the kernel; for malloc
 *
 * Everything else after `start` is an option string for options_parse(). Grammar:
 * docs/man/hprof-agent.7.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options.h"

enum {
    /* the version of answers that this agent writes */
    OPTIONS_COMMAND_PROTOCOL = 1,
    OPTIONS_COMMAND_NAME = 64, /* longest name of a recording in bytes */
};

enum options_command_word {
    OPTIONS_COMMAND_NONE, /* the line is an option string */
    OPTIONS_COMMAND_START,
    OPTIONS_COMMAND_STOP,
    OPTIONS_COMMAND_DUMP,
    OPTIONS_COMMAND_STATUS,
    OPTIONS_COMMAND_LIST,
    OPTIONS_COMMAND_MALLOC,
};

struct options_command {
    enum options_command_word word;
    unsigned protocol;                   /* as the caller gave it; 0: not given */
    char answer[OPTIONS_VALUE + 1];      /* "": no answer is wanted */
    char name[OPTIONS_COMMAND_NAME + 1]; /* name of the recording; "": not given */
    uint64_t lease_ns;                   /* of start; 0: none */
    bool is_held;                        /* of start: held=y */
    bool trims;                          /* of malloc: trim=y */
    unsigned id;                         /* number of the recording; 0: not given */
    char file[OPTIONS_VALUE + 1];        /* file of the recording; "": not given */
    char *options;                       /* of start: for options_parse(); otherwise "" */
};

/**
 * Parse `line` (NULL: empty).
 *
 * Shape:   `ret` is filled also after an error, so an answer that the caller wants can say why.
 * Errors:  0, with the word OPTIONS_COMMAND_NONE if `line` is an option string; E_SYNTAX with a
 *          text in *ret_error; -ENOMEM, also with a text.
 * Context: any.   Owner: options_command_done(ret), also after an error.
 */
int options_command_parse(const char *line, struct options_command *ret,
                          struct options_error *ret_error);
void options_command_done(struct options_command *c);
/** The word of a command, for example "start"; "" for OPTIONS_COMMAND_NONE. */
const char *options_command_text(enum options_command_word word);
