/*
 * opts.h - the option parser of all commands; a command's table of options drives it.
 *
 * It accepts --name VALUE and --name=VALUE (some options also --name alone), -x VALUE, -xVALUE,
 * several switches in one word (-qx), "--" as the end of options, and options after operands. Every
 * command has --help and -h without a row for them. Errors are printed on stderr in one line, with
 * the most similar option if there is one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct cmd;
struct opt;

/** The results of opts_next() that are not ids of options. */
enum opts_result {
    OPTS_END = 0,
    OPTS_WORD = -1,  /* an operand, in `value` */
    OPTS_ERROR = -2, /* already reported */
    OPTS_HELP = -3,
};

struct opts {
    const struct cmd *cmd;
    int argc;
    char **argv;
    int next;           /* index of the first argument that was not read */
    bool words_only;    /* "--" was seen */
    bool is_silent;     /* do not report errors */
    const char *bundle; /* the letters of -xyz that were not read yet, or NULL */
    const char *value;  /* value of the option or operand that was returned; NULL for a switch */
};

/** Prepare to read the arguments after `argv[0]`. Owner: borrows all. */
void opts_init(struct opts *o, const struct cmd *cmd, int argc, char **argv);
/** Read the next option: returns its id, or one of enum opts_result. */
int opts_next(struct opts *o);
/** The row of the option whose name is the first `len` bytes of `name`; NULL: there is none. */
const struct opt *opts_row(const struct cmd *cmd, const char *name, size_t len);
