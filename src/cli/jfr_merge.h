/*
 * jfr_merge.h - `hprof jfr merge`: recordings of several JVMs, or of several parts of a run, as one
 * file.
 *
 * Chunks go in whole, in the order in which they began. Those of the writer whose chunk is the
 * first stay as they are; for each other one types get numbers, and moments a clock, by which no
 * reader takes anything of one for that of another (jfr/jfr_renumber.h). A JVM has two writers
 * where its own recorder and an agent have both recorded. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

struct jfr_secret;

/** What is merged in the name of another command. */
struct jfr_merge {
    const char *command;
    const char *const *paths;
    const char *const *names; /* of the files, in messages */
    size_t count;
    const char *output;        /* none of the files; what has the name is moved aside */
    struct jfr_secret *secret; /* what is left out; NULL: nothing */
};

/**
 * Writes the chunks of all files into one. A chunk that several files have, as two dumps of one
 * JVM do, is written once. Returns an enum cmd_status.
 */
int jfr_merge_files(const char *const *paths, size_t count, const char *output);
/** The same, and says nothing when it is done. Errors: 0, or negative after saying why;
 * E_TRUNCATED: what is whole was written. */
int jfr_merge_write(const struct jfr_merge *what);
