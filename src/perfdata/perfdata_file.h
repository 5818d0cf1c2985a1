/*
 * perfdata_file.h - the file in which a JVM shows its counters, or one that was saved.
 *
 * A JVM maps /tmp/hsperfdata_USER/PID, where USER is the name of its user as it reads it and PID
 * its own number for itself; only its user may read it. A file of another owner, or behind a link,
 * is somebody else's and is not believed. The file is read, never mapped: a JVM that ends may cut
 * it. Source: HotSpot perfMemory_linux.cpp. Context: any, not signal.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "perfdata/perfdata.h"

struct process;

enum { PERFDATA_FILE_MB = 64 }; /* a larger file is none of a JVM: E_LIMIT */

struct perfdata_file {
    struct perfdata data;
    int fd;
};

/**
 * The file of a process. `root`: its root folder (process/process_folder.h).
 *
 * Errors: 0; -ENOENT it has none that is its own; another -errno; as perfdata_take().
 * Owner:  perfdata_file_close(), also after an error.
 */
int perfdata_file_open_process(const struct process *process, int root, struct perfdata_file *ret);
/** A file that was saved, or that of a JVM by its name. Errors and owner as above. */
int perfdata_file_open(const char *path, struct perfdata_file *ret);
/** Reads all values anew. Errors as above: then the values are the old ones. */
int perfdata_file_refresh(struct perfdata_file *f);
void perfdata_file_close(struct perfdata_file *f);
