/*
 * dumpfiles.h - `hprof threads DUMP...`: the answers of `hprof threads` from thread dumps in files.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct dumpset;

struct dumpfiles {
    const char *const *names;
    uint32_t count;
    bool is_json, is_grouped, is_summary, has_locks; /* the options of `hprof threads` */
    bool has_deadlock;                               /* found in one of the dumps */
};

/** Whether a word of the command line means a file, and not a JVM: it is "-", a file that is there,
 * or a name that no JVM can have. */
bool dumpfiles_is_file(const char *word);
/** Reads a file; "-" is standard input. Returns an exit status, after saying why it is not 0;
 * what was read is in the set in any case. */
int dumpfiles_read(const char *name, struct dumpset *set);
/** Reads the files and prints. Returns an exit status, after saying why it is not 0. */
int dumpfiles_print(struct dumpfiles *f);
