/*
 * feed.h - the bytes of a file or a pipe, as if all of them lay in memory.
 *
 * A file is mapped, and the pages that the reader has passed are given back to the kernel. The
 * bytes of a pipe, or of a function that makes bytes, are read when the reader asks for them, into
 * memory that never moves. So a reader may keep pointers to bytes that it has not released, and no
 * more memory than those bytes is needed. A feed is not thread-safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * Writes at most `room` bytes to `to`. Returns how many bytes it wrote, 0 at the end, or an error;
 * in case of an error it may set *ret_why to a static text that says more. After an end or an error
 * the feed does not call it again.
 */
typedef ssize_t feed_source(void *from, unsigned char *to, size_t room, const char **ret_why);

struct dirent;

struct feed {
    const unsigned char *bytes;
    size_t len;          /* bytes that are there now */
    bool is_whole;       /* no more bytes will come */
    int fd;              /* the pipe; borrowed */
    feed_source *source; /* gives the bytes in place of `fd`; NULL: `fd` gives them */
    void *from;
    int error;       /* 0, or why the bytes ended early: negative, see base/err.h */
    const char *why; /* static text that says more about `error`, or NULL */
    size_t room;     /* bytes mapped or reserved; 0: the memory is the caller's */
    size_t released; /* bytes at the front whose pages were given back */
    size_t step;     /* pages are given back in pieces of this size; 0: 4 MB */
};

/** Read bytes that lie in memory already. The memory stays the caller's. */
void feed_memory(struct feed *f, const void *bytes, size_t len);
/** Read the file or pipe `fd`. `fd` stays the caller's and must be open until feed_done(). Errors:
 * 0, -errno. Owner: feed_done(). */
int feed_open(struct feed *f, int fd);
/** Like feed_open(), for bytes that `source` gives; `source` is called with `from`. */
int feed_open_source(struct feed *f, feed_source *source, void *from);
/** Like feed_open_source(), for a source that gives at most `len` bytes: only so many addresses are
 * reserved, and pages are given back in small pieces. */
int feed_open_bounded(struct feed *f, feed_source *source, void *from, size_t len);
void feed_done(struct feed *f);
/** Wait for more bytes of a stream. Returns whether there are more bytes than before. */
bool feed_more(struct feed *f);
/** Whether there are `len` bytes from offset `at` on; waits for them. */
bool feed_has(struct feed *f, size_t at, size_t len);
/** Say that the reader will not look at the bytes in front of offset `at` again. */
void feed_release(struct feed *f, size_t at);

/**
 * A source: the files of a folder, read one after another in the order of their names. JFR's
 * repository has one file for each chunk; in this way the repository is read like one recording.
 */
struct feed_folder {
    int folder, fd; /* `fd` is the file that is being read; -1: none */
    struct dirent **names;
    int count, next;
};

/**
 * List the files in `folder` whose names end in `suffix`. `folder` stays the caller's.
 *
 * Errors:  0; -errno; -EISDIR: the folder has no such file.
 * Owner:   feed_folder_done(), also after an error.
 */
int feed_folder_open(struct feed_folder *f, int folder, const char *suffix);
void feed_folder_done(struct feed_folder *f);
/**
 * A feed_source: `from` is the struct. A file that has been removed since the listing is skipped.
 */
ssize_t feed_folder_read(void *from, unsigned char *to, size_t room, const char **ret_why);
