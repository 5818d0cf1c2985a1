/*
 * counters_source.h - HotSpot's counters from different places: a saved file, the file of a live
 * JVM, the memory of a live JVM, or a core.
 *
 * A JVM has no file of counters if it runs with -XX:+PerfDisableSharedMem, if its user has no
 * folder that the JVM trusts, or after the file was removed. Then the counters are read from its
 * memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "jvm/outside.h"
#include "perfdata/perfdata_file.h"

struct cmd;

struct counters_source {
    const struct perfdata *data; /* the counters, from any of the places */
    pid_t pid;                   /* 0: a saved file */
    uint64_t began;              /* process_began() of that process */
    struct perfdata_file file;
    struct perfdata copied; /* the counters, if they were copied from memory */
    struct outside_vm vm;   /* the VM whose memory is read */
    bool is_memory;
};

/**
 * Opens what `word` names: a file (`word` has a '/' or names a regular file; `files` are used for a
 * core) or a JVM. counters_source_open_pid() opens process `pid`; messages call it `word`. Errors:
 * 0; CMD_FAILED or CMD_USAGE, after saying why. Owner: counters_source_close(), also after an
 * error.
 */
int counters_source_open(const struct cmd *cmd, const char *word, const struct outside_files *files,
                         struct counters_source *ret);
int counters_source_open_pid(pid_t pid, const char *word, struct counters_source *ret);
/** Opens only the file of a live JVM, and says nothing. Errors: 0; -ESRCH; -ENOENT it has no file;
 * -EACCES; as perfdata_take(). Owner: as above. */
int counters_source_open_shared(pid_t pid, struct counters_source *ret);
/** Works like counters_source_open_pid(), and says nothing. Errors: 0; -ESRCH; -EACCES, -EPERM;
 * -ENOENT: the JVM has no counters; E_NOT_FOUND: it is no JVM; others of target_open(). Owner: as
 * above. */
int counters_source_open_quietly(pid_t pid, struct counters_source *ret);
bool counters_source_is_file(const char *word);
/** Reads all values again. Errors: 0; negative: the JVM has ended, or its memory cannot be read any
 * more. */
int counters_source_refresh(struct counters_source *s);
void counters_source_close(struct counters_source *s);
