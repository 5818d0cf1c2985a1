/*
 * counters_source.h - counters of HotSpot from wherever a word of the command line says: a saved
 * file, the file of a live JVM, or the memory of one that has none, or of a core.
 *
 * A JVM has no file with -XX:+PerfDisableSharedMem, where its user has no folder that it trusts,
 * and once somebody has removed it. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "cli/outside_vm.h"
#include "perfdata/perfdata_file.h"

struct cmd;

struct counters_source {
    const struct perfdata *data; /* the counters, wherever they are */
    pid_t pid;                   /* 0: a saved file */
    uint64_t began;              /* process_began() of it */
    struct perfdata_file file;
    struct perfdata copied; /* those of the memory */
    struct outside_vm vm;   /* whose memory it is */
    bool is_memory;
};

/**
 * Opens what `word` means: a path (it has a '/', or names a file; `files` are a core's) or a JVM.
 * `pid` instead: that process, `word` is what it is called in messages. Errors: 0; CMD_FAILED,
 * CMD_USAGE, after saying why. Owner: counters_source_close(), also then.
 */
int counters_source_open(const struct cmd *cmd, const char *word, const struct outside_files *files,
                         struct counters_source *ret);
int counters_source_open_pid(pid_t pid, const char *word, struct counters_source *ret);
/** The file of a live JVM alone; says nothing. Errors: 0; -ESRCH; -ENOENT it has none; -EACCES; as
 * perfdata_take(). Owner as above. */
int counters_source_open_shared(pid_t pid, struct counters_source *ret);
bool counters_source_is_file(const char *word);
/** Reads all values anew. Errors: 0; negative: the JVM has ended, or its memory is gone. */
int counters_source_refresh(struct counters_source *s);
void counters_source_close(struct counters_source *s);
