/*
 * jfrlib_live.h - the repository of a running JVM: a folder of chunk files, of which the last one
 * grows; or one such file.
 *
 * A JVM flushes its chunk each second: it writes the events, then the constants and types that they
 * use, then the size of all this into the header. So the bytes that the header describes are
 * complete, and the bytes after them are not. The bytes are copied and not mapped, because the JVM
 * writes into them. A file stays open until its end was read, because a JVM that ends removes its
 * repository.
 * Source: HotSpot, jfrChunkWriter and jfrRepository; jdk.jfr, RepositoryFiles.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include "base/feed.h"
#include "jfr/jfr_chunk.h"

struct jfr_file;

struct jfrlib_live {
    int folder;              /* -1: one file is followed alone */
    int fd;                  /* the present chunk file; -1: none */
    char name[NAME_MAX + 1]; /* of the present or the last chunk file; "": none so far */
    unsigned char *bytes;    /* what was read of it */
    size_t len;              /* bytes that were read */
    size_t done;             /* bytes whose events were given, or are not wanted */
    uint64_t seen;           /* the size of the chunk at the last look */
    struct feed feed;        /* over `bytes` */
    bool is_first;           /* what the file has at the next look is not wanted */
    bool is_last;            /* the last file says that it is the last of its recording */
    bool has_before;
    struct jfr_header before;  /* of the chunk before the present one */
    struct jfr_clock clock;    /* the clock of that chunk */
    struct jfr_budget *budget; /* borrowed */
};

/** What jfrlib_live_next() returns when it does not fail. */
enum jfrlib_live_result {
    JFRLIB_LIVE_END,
    JFRLIB_LIVE_CHUNK,
    JFRLIB_LIVE_WAIT,
    JFRLIB_LIVE_PASSED, /* the file is damaged and was left: `file` says how; call again */
};

/** Opens a folder, or one of its files, which is then followed alone. `only_new`: begins with the
 * newest file, and leaves out what it has at the first look. Errors: 0; -errno. Owner:
 * jfrlib_live_close(), also after an error. */
int jfrlib_live_open(struct jfrlib_live *l, const char *path, bool only_new,
                     struct jfr_budget *budget);
void jfrlib_live_close(struct jfrlib_live *l);
/**
 * Closes the chunk of `file`, and opens the next one, or the same one if it has grown. Then the
 * next record of `file` is the first one that was not there before. `file` keeps its settings and
 * its counts of damage.
 *
 * Errors:  enum jfrlib_live_result; -errno; E_UNSUPPORTED; -ENOMEM, also if the budget is short.
 */
int jfrlib_live_next(struct jfrlib_live *l, struct jfr_file *file);
