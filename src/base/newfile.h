/*
 * newfile.h - output files that are made anew: what lies behind a name is never written into.
 *
 * Whoever may write to a folder can leave a link there under the name that a program is about to
 * write. So a regular file is made under a name that is free, after what had the name has been
 * unlinked; only where that is refused (a bind mount, a folder one may not write) a file that is
 * one's own, and has no other name, is emptied. Devices, FIFOs and names that mean a descriptor are
 * used as they are. The folders of the path may be links, its last component may not.
 * Knows nothing about profiles, prints nothing. Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { NEWFILE_FIFO_MS = 10000 }; /* so long a FIFO may be without a reader */

/** An open file. Owner: the caller closes `fd`. */
struct newfile {
    int fd;       /* above the standard descriptors; for writing, closed by exec */
    bool is_ours; /* a regular file that was empty: positions in it are positions of the caller */
};

enum newfile_old {
    NEWFILE_REPLACE, /* what has the name goes */
    NEWFILE_KEEP,    /* a file or link that has the name is an error, -EEXIST */
};

/**
 * Open `path` for writing as the head of this file says. A new file has mode `mode` less the umask,
 * one that was emptied loses what `mode` does not have. Waits NEWFILE_FIFO_MS for the reader of a
 * FIFO.
 *
 * Errors: 0; -errno, and *ret_why is the reason in words (static, or strerror()'s).
 */
int newfile_open(const char *path, mode_t mode, enum newfile_old old, struct newfile *ret,
                 const char **ret_why);
/**
 * Open a new file in the folder of `path` that has no name yet (O_TMPFILE): when it is whole,
 * newfile_link() gives it one; whatever ends this process before leaves nothing behind.
 *
 * Errors: 0; -EOPNOTSUPP where the file system, or a /proc that is not there, cannot do this.
 */
int newfile_open_unnamed(const char *path, mode_t mode, struct newfile *ret);
/** Give such a file its name. Errors: 0; -EEXIST: something has the name; another -errno. */
int newfile_link(const struct newfile *file, const char *path);
/** N of /dev/stdin (0), /dev/stdout (1), /dev/stderr (2), /dev/fd/N and /proc/self/fd/N; else -1.
 */
int newfile_descriptor(const char *path);
/** Whether `path` is used as it is: such a descriptor, or what is neither file, link nor folder. */
bool newfile_is_special(const char *path);
/** Rename, unless something has the name `to`. Errors: 0; -EEXIST; another -errno. */
int newfile_rename(const char *from, const char *to);
