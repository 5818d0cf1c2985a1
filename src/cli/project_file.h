/*
 * project_file.h - hprof.conf: options that a project wants `hprof run` and its like to have.
 *
 * A line reads "COMMAND OPTION [VALUE]", as in "run --event cpu,alloc"; the value goes to the end
 * of the line, without quotation marks; '#' begins a comment. The file is that of the working
 * directory, or of the nearest folder above that has one. An option that the command line has, too,
 * is taken from there alone. A file that others could have written is not read; what it may have
 * the commands' rows say, and all else is named and passed over: a project that somebody has cloned
 * has what he runs measured, and no more. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdio.h>

struct cmd;

struct project_file {
    int argc;
    char **argv; /* the command's name, options of the file, what the user wrote */
    char *path;  /* of the file; NULL: there is none */
    char **made; /* the options of the file: 'argv' borrows them */
    size_t made_count;
    char **joined; /* 'argv', where it is not the user's */
};

/**
 * The command line with what the project's file has for this command. Errors: 0, or negative after
 * saying why. Owner: borrows the words of `argv`; project_file_done(), also after an error.
 */
int project_file_open(struct project_file *p, const struct cmd *cmd, int argc, char **argv);
/** Add the options that the lines of `in` have for `cmd`, and the command line has not. `name` is
 * the file's in messages. Errors: as above. */
int project_file_parse(struct project_file *p, const struct cmd *cmd, FILE *in, const char *name);
void project_file_done(struct project_file *p);
