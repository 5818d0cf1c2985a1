/*
 * folder_feed.h - the files of a folder, read one after another in the order of their names.
 *
 * It is a source for a feed (feed.h). JFR's repository has one file for each chunk; with a folder
 * feed the repository is read like one recording. Not thread-safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <sys/types.h>

struct dirent;

struct folder_feed {
    int folder, fd; /* `fd` is the file that is being read; -1: none */
    struct dirent **names;
    int count, next;
};

/**
 * List the files in `folder` whose names end in `suffix`. `folder` stays the caller's.
 *
 * Errors:  0; -errno; -EISDIR: the folder has no such file.
 * Owner:   folder_feed_done(), also after an error.
 */
int folder_feed_open(struct folder_feed *f, int folder, const char *suffix);
void folder_feed_done(struct folder_feed *f);
/**
 * A feed_source: `from` is the struct. A file that has been removed since the listing is skipped.
 */
ssize_t folder_feed_read(void *from, unsigned char *to, size_t room, const char **ret_why);
