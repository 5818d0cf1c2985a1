/*
 * dumpfiles.h - `hprof threads DUMP...`: the answers of `hprof threads` from thread dumps in files.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/window.h"

struct dumpset;
struct tabular_out;

struct dumpfiles {
    const char *const *names;
    uint32_t count;
    bool is_json, is_grouped, is_summary, has_locks; /* the options of `hprof threads` */
    bool is_table;                                   /* a table of the threads is wanted */
    struct window window;                            /* only dumps of this span of time */
    struct tabular_out *out;                         /* gets the table */
    uint32_t top;                                    /* rows of the table; 0: all */
    bool has_deadlock;                               /* found in one of the dumps */
};

/** Whether a word of the command line means a file, and not a JVM: it is "-", a file that is there,
 * or a name that no JVM can have. */
bool dumpfiles_is_file(const char *word);
/** Reads a file; "-" is standard input. Returns an exit status, after saying why it is not 0;
 * what was read is in the set in any case. */
int dumpfiles_read(const char *name, struct dumpset *set);
struct tabular;
/** Takes a table of threads, and prints it if it is for people. Returns an exit status, after
 * saying why it is not 0. */
int dumpfiles_table(struct tabular_out *out, struct tabular *t, uint32_t top);
/** Reads the files and prints. Returns an exit status, after saying why it is not 0. */
int dumpfiles_print(struct dumpfiles *f);
