/*
 * tarfile.h - the archives of tar: written with the names and sizes that we need, and read from
 * whom ever.
 *
 * Written is the form ustar of POSIX: regular files with names of at most 99 bytes, owner 0, mode
 * 0600. Read are its regular files, also where `tar` has written them; nothing is ever written
 * under a name of an archive. Source: POSIX.1-2017, pax, "ustar Interchange Format". Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sink;

enum { TARFILE_BLOCK = 512, TARFILE_NAME = 100 };

/** Writes the head of a file; exactly `len` bytes have to follow, then tarfile_pad(). */
void tarfile_head(struct sink *out, const char *name, uint64_t len, int64_t time_s);
void tarfile_pad(struct sink *out, uint64_t len);
/** Writes the end of the archive. */
void tarfile_end(struct sink *out);

/** Brings the next bytes, at most `room`. Returns how many; 0: the end; negative: an error. */
typedef ssize_t tarfile_source(void *from, unsigned char *to, size_t room);

struct tarfile {
    tarfile_source *read;
    void *from;
    char name[TARFILE_NAME]; /* of the file that is read */
    uint64_t left, pad;      /* bytes of it that were not read; of its last block */
};

/** Whether a file that begins with these bytes is an archive. */
bool tarfile_is_one(const void *bytes, size_t len);
/** Begins with the next regular file. Returns 1; 0: the end; E_FORMAT, E_TRUNCATED; errors of the
 * source. */
int tarfile_next(struct tarfile *t);
/** Reads bytes of the file. Returns as a source. */
ssize_t tarfile_read(struct tarfile *t, unsigned char *to, size_t room);
