/*
 * outfile.h - the files that this command writes by the user's names: what format a name asks for,
 * and a place where a new file can be, with what was there kept.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "base/newfile.h"

struct format;

/** A file that is being written. Opaque but for `file.fd`, to which its user writes. */
struct outfile {
    struct newfile file;
    const char *command, *path; /* borrowed */
    char *old;                  /* where what had the name is now; NULL: nothing was moved */
    bool is_unnamed;            /* it gets the name when it is whole */
};

/** The format that the suffix of this name tells, that before ".gz" if it has that; or NULL. */
const struct format *outfile_format(const char *path);
/** Whether a file can be made where `name` says: asked before the program runs for an hour. Errors:
 * 0, or negative after saying why in the name of `command`. */
int outfile_check_folder(const char *command, const char *name);
/**
 * Move the file or link at `path` to PATH.old, or PATH.old.2 and so on where that is taken, and say
 * so in the name of `command`. *ret_old, malloc'ed, stays as it is when nothing was there, or what
 * is used as it is: a device, a FIFO, /dev/stdout. Errors as above.
 */
int outfile_move_aside(const char *command, const char *path, char **ret_old);
/**
 * Opens a new file for writing, "-" being standard output. Until it is whole, the name stays what
 * it was: the new file has none. Where the file system has no such files, what has the name is
 * moved aside at once. Errors: 0, or negative after saying why in the name of `command`. Owner:
 * outfile_close(), after success.
 */
int outfile_open(const char *command, const char *path, struct outfile *ret_file);
/**
 * Closes it. `error` 0: the file is whole, what has its name is moved aside, and it takes the name.
 * Negative: nothing of it stays, and what was moved aside is back. Returns `error`, or what the end
 * itself met: 0, or negative after saying why.
 */
int outfile_close(struct outfile *o, int error);
