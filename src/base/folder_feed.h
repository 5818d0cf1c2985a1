/*
 * folder_feed.h - the files of a folder as the bytes of one, in the order of their names.
 *
 * For a feed (feed.h): so a repository of JFR, whose chunks are a file each, is read as a
 * recording. Not thread-safe. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <sys/types.h>

struct dirent;

struct folder_feed {
    int folder, fd; /* the file that is read; -1: none */
    struct dirent **names;
    int count, next;
};

/**
 * The files whose names end in `suffix`; `folder` stays the caller's. Errors: 0; -errno; -EISDIR:
 * it has none. Owner: folder_feed_done(), also after an error.
 */
int folder_feed_open(struct folder_feed *f, int folder, const char *suffix);
void folder_feed_done(struct folder_feed *f);
/** A feed_source: `from` is the struct. A file that has gone since is passed over. */
ssize_t folder_feed_read(void *from, unsigned char *to, size_t room, const char **ret_why);
