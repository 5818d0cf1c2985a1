/*
 * feed.h - the bytes of a file or a pipe, as if all of them lay in memory.
 *
 * A file is mapped, and the pages behind the reader are given back; of a pipe, or of whatever makes
 * bytes, they are taken as they are asked for, into room that never moves. So a reader may point
 * into what it has not passed, and needs no more memory than that. Not thread-safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * Writes bytes to `to`, at most `room`. Returns how many, 0 at the end, or an error; *ret_why may
 * become a static text that says more. It is not asked again after an end or an error.
 */
typedef ssize_t feed_source(void *from, unsigned char *to, size_t room, const char **ret_why);

struct feed {
    const unsigned char *bytes;
    size_t len;          /* so many are there now */
    bool is_whole;       /* and no more will come */
    int fd;              /* of a pipe; borrowed */
    feed_source *source; /* in place of fd; NULL: none */
    void *from;
    int error;       /* 0, or why the bytes ended early: negative, see base/err.h */
    const char *why; /* static text that says more of it, or NULL */
    size_t room;     /* mapped or reserved; 0: the bytes are somebody else's */
    size_t released; /* bytes from the front that are gone */
};

/** Bytes that lie in memory already and stay the caller's. */
void feed_memory(struct feed *f, const void *bytes, size_t len);
/** `fd` stays the caller's, and open until feed_done(). Errors: 0, -errno. Owner: feed_done(). */
int feed_open(struct feed *f, int fd);
/** As feed_open(), for bytes that `source` gives when it is called with `from`. */
int feed_open_source(struct feed *f, feed_source *source, void *from);
void feed_done(struct feed *f);
/** Wait for more of a stream. Returns whether there is more than before. */
bool feed_more(struct feed *f);
/** Whether there are `len` bytes from `at` on; waits for them. */
bool feed_has(struct feed *f, size_t at, size_t len);
/** Nobody will look at bytes before `at` again. */
void feed_release(struct feed *f, size_t at);
