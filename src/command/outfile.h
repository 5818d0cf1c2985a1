/*
 * outfile.h - the files that a command writes under names that the user gave: the format that a
 * name asks for, and a safe way to replace an existing file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "base/newfile.h"

struct format;

/** A file that is being written. Callers only use `file.fd`, to which they write. */
struct outfile {
    struct newfile file;
    const char *command, *path; /* borrowed */
    char *old;                  /* the new name of a file that was moved aside; NULL: none was */
    bool is_unnamed;            /* the file gets its name when it is complete */
};

/** The format that the suffix of a name stands for (".gz" at the end is ignored); NULL: none. */
const struct format *outfile_format(const char *path);
/** Whether a file can be made under this name. To be asked first, before the program runs for an
 * hour. Errors: 0, or negative after saying why in the name of `command`. */
int outfile_check_folder(const char *command, const char *name);
/**
 * Move the file or link at `path` to PATH.old (or PATH.old.2 and so on, if the name is taken), and
 * say so in the name of `command`. *ret_old is the new name, malloc'ed. *ret_old stays unchanged if
 * there was no file, or a device, a FIFO or /dev/stdout, which are used directly. Errors: as above.
 */
int outfile_move_aside(const char *command, const char *path, char **ret_old);
/**
 * Opens a new file for writing; "-" is standard output. The new file has no name until it is
 * complete, so an existing file keeps its name until then. If the file system has no files without
 * names, the existing file is moved aside at once. Errors: 0, or negative after saying why in the
 * name of `command`. Owner: outfile_close(), after success.
 */
int outfile_open(const char *command, const char *path, struct outfile *ret_file);
/**
 * Closes the file. `error` 0: the file is complete, so an existing file is moved aside and the new
 * file gets the name. `error` negative: the new file is removed, and a file that was moved aside
 * gets its name back. Returns `error`, or an error of closing: 0, or negative after saying why.
 */
int outfile_close(struct outfile *o, int error);
