/*
 * gzfeed.h - a feed of a file that may be packed by gzip.
 *
 * Whether it is, the first bytes say, not the name. What is unpacked is a stream: it is unpacked as
 * readers ask for it, and what they have passed is given back, so a file that unpacks to a thousand
 * times its size takes no more memory than its reader holds on to. Of a file that is cut off or
 * damaged readers get what comes before, then the feed's error. A folder is what the JFR files in
 * it are one behind the other. Not thread-safe.
 * Source: RFC 1952. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "base/feed.h"
#include "base/folder_feed.h"

struct z_stream_s;

/** May not move between open and close: the feed refers to it. */
struct gzfeed {
    struct feed feed;          /* for readers: the file, unpacked */
    struct feed packed;        /* the file, where it is packed */
    struct folder_feed folder; /* whose files it is of, if any */
    size_t at;                 /* so much of it is unpacked */
    int state;                 /* 1: more may come; 0: the end; negative: why it ended */
    bool is_between;           /* one member of the file has ended, no other one begun */
    struct z_stream_s *stream; /* NULL: the file is not packed */
};

/** `fd` stays the caller's, and open until gzfeed_close(). Errors: 0; -errno, which is -EISDIR for
 * a folder without JFR files. */
int gzfeed_open(struct gzfeed *g, int fd);
/** The same for bytes that lie in memory and stay the caller's. */
int gzfeed_open_memory(struct gzfeed *g, const void *bytes, size_t len);
/** Also after an error of open. */
void gzfeed_close(struct gzfeed *g);
