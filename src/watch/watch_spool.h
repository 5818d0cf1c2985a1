/*
 * watch_spool.h - the folder where recordings wait until they have been sent, with a bound.
 *
 * A file TOKEN-NUMBER.jfr is a recording that is whole. Its token names the recording of one JVM
 * (watch_state.h), its number counts the files of that recording. When there is more than the bound
 * permits, the recording that has the most bytes loses its oldest file, so no JVM takes the place
 * of others. What is dropped is counted.
 *
 * The folder is this user's alone, and one process uses it at a time. Files appear there whole,
 * under their names. Context: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { WATCH_SPOOL_NAME = 48, WATCH_SPOOL_FILES = 10000 };

struct watch_spool_file {
    uint64_t token, bytes;
    int64_t time_ns; /* when it was written */
    uint32_t number;
};

struct watch_spool {
    char *path;
    int folder; /* descriptor; it is locked */
    uint64_t limit_bytes;
    struct watch_spool_file *files; /* in the order of their names */
    uint32_t count, room;
    uint64_t bytes;                        /* of all files */
    uint64_t dropped_files, dropped_bytes; /* because of the bound, since the start */
};

/** Opens the folder, makes it if it is missing, and lists its files. Errors: 0; -EBUSY: another
 * process uses it; -EPERM: others can write it; another -errno; all after saying why, in the name
 * of `command`. Owner: watch_spool_close(), also after an error. */
int watch_spool_open(struct watch_spool *s, const char *command, const char *path,
                     uint64_t limit_bytes);
void watch_spool_close(struct watch_spool *s);
/** The name of a file in the folder. */
void watch_spool_name(uint64_t token, uint32_t number, char ret_name[WATCH_SPOOL_NAME]);
/** Reads such a name. Returns whether it is one. */
bool watch_spool_parse(const char *name, uint64_t *ret_token, uint32_t *ret_number);
/** Lists the files again, after a child has added some, and drops what is too much. Errors: 0;
 * -errno. */
int watch_spool_read(struct watch_spool *s);
/** The file that waits longest; NULL: none waits. */
const struct watch_spool_file *watch_spool_oldest(const struct watch_spool *s);
bool watch_spool_has_any(const struct watch_spool *s, uint64_t token);
/** Removes a file, which was sent or cannot be sent. */
void watch_spool_remove(struct watch_spool *s, const struct watch_spool_file *file);
