/*
 * gzfeed.h - a feed of a file that may be packed, by gzip or zstd.
 *
 * The first bytes say whether the file is packed; its name does not matter. The file is unpacked as
 * a stream, when readers ask for bytes, and the bytes that readers have passed are freed. So a file
 * that unpacks to a thousand times its size takes no more memory than its reader keeps. If a file
 * is cut off or damaged, readers get the bytes in front of the damage, then the feed's error. A
 * folder is read as its JFR files one behind the other. Not thread-safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "base/feed.h"
#include "gzip/unpack.h"

/** A gzfeed may not be moved between open and close, because its feed points to it. */
struct gzfeed {
    struct feed feed;          /* for readers: the unpacked file */
    struct feed packed;        /* the packed file, if it is packed */
    struct feed_folder folder; /* the folder of which the files are read, if it is a folder */
    size_t at;                 /* so many bytes of `packed` are unpacked */
    /* 1: more bytes may come; 0: the end; negative: the error that ended it */
    int state;
    const char *why;      /* static text about the error; NULL: none */
    struct unpack unpack; /* closed if the file is not packed */
};

/** Open a feed. `fd` stays the caller's, and open until gzfeed_close(). Errors: 0; -errno; -EISDIR:
 * a folder without JFR files. */
int gzfeed_open(struct gzfeed *g, int fd);
/** Open a feed of bytes in memory, which stay the caller's. */
int gzfeed_open_memory(struct gzfeed *g, const void *bytes, size_t len);
/** Close a feed, also after an error of open. */
void gzfeed_close(struct gzfeed *g);
