/*
 * perfdata_file.h - the file in which a JVM shows its counters, or a saved file.
 *
 * A JVM maps /tmp/hsperfdata_USER/PID. USER is the name of its user as the JVM reads it, and PID is
 * its number in its own namespace. Only its user may read the file. A file with another owner, or
 * behind a link, is never used, because it may be a trap. The file is read and never mapped,
 * because a JVM that ends may truncate it. Source: HotSpot perfMemory_linux.cpp. Context: any, not
 * signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "perfdata/perfdata.h"

struct process;

enum { PERFDATA_FILE_MB = 64 }; /* a larger file is not a JVM's: E_LIMIT */

struct perfdata_file {
    struct perfdata data;
    int fd;
};

/**
 * Open the file of a process. `root` is its root folder (process/process.h).
 *
 * Errors:  0; -ENOENT: the process has no file of its own; another -errno; as perfdata_take().
 * Owner:   perfdata_file_close(), also after an error.
 */
int perfdata_file_open_process(const struct process *process, int root, struct perfdata_file *ret);
/** Open a saved file, or the file of a JVM by its path. Errors and owner: as above. */
int perfdata_file_open(const char *path, struct perfdata_file *ret);
/** Read all values again. Errors: as above; after an error the old values are kept. */
int perfdata_file_refresh(struct perfdata_file *f);
void perfdata_file_close(struct perfdata_file *f);
