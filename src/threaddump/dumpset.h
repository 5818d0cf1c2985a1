/*
 * dumpset.h - the thread dumps of one or more files, one behind the other.
 *
 * A file may be text of jstack or Thread.print, a log with dumps between other lines, a file of
 * Thread.dump_to_file (text or JSON), or the archive of `hprof bundle`, packed or not. A file is
 * read once, front to back; of a log only the dumps are kept. Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "attach/threaddump.h"
#include "threaddump/dumpfeed.h"

enum {
    DUMPSET_DUMPS = 10000,
    DUMPSET_LINES = 1 << 23, /* of all dumps */
    DUMPSET_BYTES = 1 << 29, /* of all dumps */
};

struct dumpset_dump {
    const char *file; /* the name under which it was read; borrowed */
    struct dumpfeed_dump about;
    struct threaddump threads; /* texts point into about.text */
};

struct dumpset {
    struct dumpset_dump *dumps;
    uint32_t count, room;
    uint64_t lines, bytes; /* of all dumps */
    const char *file;      /* the file that is being read */
};

/** Reads a file that is open; `file` must live longer than the set. Errors: the number of dumps
 * that were found; -errno; E_LIMIT: there are too many; E_FORMAT and others of the unpacker: the
 * file is damaged. What came before an error is kept. */
int dumpset_read(struct dumpset *s, const char *file, int fd);
/** The same for bytes in memory. */
int dumpset_read_text(struct dumpset *s, const char *file, const char *text, size_t len);
void dumpset_done(struct dumpset *s);
