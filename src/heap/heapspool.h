/*
 * heapspool.h - a temporary file without a name, for a dump that has to lie in a file and does not:
 * a packed one, one from a pipe, one that is made of a JVM.
 *
 * The file has the mode 0600, and nothing is left of it when the process ends, however it ends.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct unpackread;

enum { HEAPSPOOL_FOLDER = 4096 };

/** The folder for such files: `named` by the user, or TMPDIR, or /var/tmp, which lies on a disk in
 * most systems, or /tmp. Borrowed. */
const char *heapspool_folder(const char *named);
/** The folder for a file that belongs to `path`: `named`, or that of `path` if that is NULL. */
void heapspool_folder_of(const char *named, const char *path, char ret_folder[HEAPSPOOL_FOLDER]);
/** The bytes that a file in the folder may still take, so that a reserve is left for others.
 * Errors: 0; -errno. */
int heapspool_room(const char *folder, uint64_t *ret_bytes);
/** The same for an open folder or file. */
int heapspool_room_of(int fd, uint64_t *ret_bytes);

/** Makes a file. Returns a descriptor, for reading and writing; -errno. */
int heapspool_open(const char *folder);
/**
 * Copies all that is unpacked to the file. *ret_bytes is how much.
 *
 * Errors: -ENOSPC: no room is left but the reserve; -errno of the file. That the packed data ends
 * early is no error here: *ret_damage is then the error of unpackread_read(), else 0.
 */
int heapspool_fill(int spool, struct unpackread *from, uint64_t *ret_bytes, int *ret_damage);
