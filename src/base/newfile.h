/*
 * newfile.h - output files that are created new: an existing file is never written into.
 *
 * Anybody who may write to a folder can leave a link there under the name that a program will write
 * next. So this code first unlinks whatever has the name, and then creates a regular file under the
 * free name. If the unlink is refused (a bind mount, a folder without write permission), the old
 * file is emptied and used, but only if it belongs to this user and has no other name. Devices,
 * FIFOs and names that mean a descriptor are used as they are. The folders of the path may be
 * links, the last component may not.
 * Knows nothing about profiles, prints nothing. Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { NEWFILE_FIFO_MS = 10000 }; /* how long newfile_open() waits for a reader of a FIFO */

/** An open file. Owner: the caller closes `fd`. */
struct newfile {
    int fd; /* higher than the standard descriptors; for writing, closed by exec */
    /* a regular file that was empty: offsets in the file are offsets in what the caller wrote */
    bool is_ours;
};

enum newfile_old {
    NEWFILE_REPLACE, /* whatever has the name is unlinked */
    NEWFILE_KEEP,    /* -EEXIST if a file or a link has the name */
};

/**
 * Open `path` for writing as the head of this file says. A new file gets the mode `mode` minus the
 * umask; a file that was emptied loses the permissions that `mode` does not have. Waits up to
 * NEWFILE_FIFO_MS for the reader of a FIFO.
 *
 * Errors:  0; -errno, and *ret_why is the reason in words (a static text or strerror()'s).
 */
int newfile_open(const char *path, mode_t mode, enum newfile_old old, struct newfile *ret,
                 const char **ret_why);
/**
 * Open a new file without a name in the folder of `path` (O_TMPFILE). When the file is whole,
 * newfile_link() gives it a name. If the process ends earlier, nothing is left behind.
 *
 * Errors:  0; -EOPNOTSUPP: the file system cannot do this, or there is no /proc.
 */
int newfile_open_unnamed(const char *path, mode_t mode, struct newfile *ret);
/** Give a file of newfile_open_unnamed() its name. Errors: 0; -EEXIST: something has the name;
 * another -errno. */
int newfile_link(const struct newfile *file, const char *path);
/** The descriptor that a path means: 0 for /dev/stdin, 1 for /dev/stdout, 2 for /dev/stderr, N for
 * /dev/fd/N and /proc/self/fd/N; -1 for every other path. */
int newfile_descriptor(const char *path);
/**
 * Whether `path` is used as it is: it means a descriptor, or it is neither file, link nor folder.
 */
bool newfile_is_special(const char *path);
/**
 * Rename `from` to `to`, unless something has the name `to`. Errors: 0; -EEXIST; another -errno.
 */
int newfile_rename(const char *from, const char *to);
