/*
 * project_file.h - hprof.conf: a file in which a project sets options of `hprof run` and other
 * commands.
 *
 * A line is "COMMAND OPTION [VALUE]", as in "run --event cpu,alloc". The value reaches to the end
 * of the line, without quotation marks; '#' begins a comment. The file is read from the working
 * directory, or from the nearest folder above that has one. If the command line has an option too,
 * the file's option is ignored.
 *
 * A file that other users could have written is not read. The rows of the commands say which
 * options the file may set; all others are named in a message and ignored. So a user who has cloned
 * a project gets the programs measured that the user starts, and nothing else happens.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdio.h>

struct cmd;

struct project_file {
    int argc;
    char **argv; /* the command's name, the file's options, then the user's words */
    char *path;  /* path of the file; NULL: there is none */
    char **made; /* the options of the file; `argv` borrows them */
    size_t made_count;
    char **joined; /* the array of `argv`, if it is not the user's */
};

/**
 * Makes the command line with the file's options for this command. Errors: 0, or negative after
 * saying why. Owner: borrows the words of `argv`; project_file_done(), also after an error.
 */
int project_file_open(struct project_file *p, const struct cmd *cmd, int argc, char **argv);
/** Adds the options for `cmd` in the lines of `in`, unless the command line has them. `name` is the
 * file's name in messages. Errors: as above. */
int project_file_parse(struct project_file *p, const struct cmd *cmd, FILE *in, const char *name);
void project_file_done(struct project_file *p);
