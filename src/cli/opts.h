/*
 * opts.h - the option parser of every command, driven by the rows of its table.
 *
 * Understands --name VALUE, --name=VALUE (of some --name alone, too), -x VALUE, -xVALUE, switches
 * in one bundle (-qx), "--" as the end of options, and options after operands. Every command has
 * --help and -h without naming them. Complains on stderr itself, in one line, with the nearest
 * option where there is one. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct cmd;
struct opt;

/** What opts_next() may return besides the id of an option. */
enum opts_result {
    OPTS_END = 0,
    OPTS_WORD = -1,  /* an operand, in `value` */
    OPTS_ERROR = -2, /* already said */
    OPTS_HELP = -3,
};

struct opts {
    const struct cmd *cmd;
    int argc;
    char **argv;
    int next;           /* index of the first argument not looked at */
    bool words_only;    /* "--" was seen */
    bool is_silent;     /* nothing is said of a mistake */
    const char *bundle; /* the letters of a -xyz not looked at yet, or NULL */
    const char *value;  /* of the option or operand just returned; NULL for a switch */
};

/** Prepare for the arguments after `argv[0]`. Owner: borrows all. */
void opts_init(struct opts *o, const struct cmd *cmd, int argc, char **argv);
/** The next option's id, or one of enum opts_result. */
int opts_next(struct opts *o);
/** The row of the option of that name, of `len` bytes; NULL: there is none. */
const struct opt *opts_row(const struct cmd *cmd, const char *name, size_t len);
