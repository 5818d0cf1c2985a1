/*
 * jfr_merge.h - `hprof jfr merge`: writes recordings of several JVMs, or of several parts of a run,
 * into one file.
 *
 * Chunks are written in the order in which they began. A writer is a recorder with its own numbers
 * of types and its own clock; a JVM has two writers if its own recorder and an agent have both
 * recorded. The chunks of the writer that made the first chunk stay unchanged. In the chunks of
 * each other writer, the numbers of types and the clock are changed, so that no reader takes a type
 * or a time of one writer for that of another (jfr/jfr_renumber.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

struct jfr_secret;

/** The files that another command merges. */
struct jfr_merge {
    const char *command;
    const char *const *paths;
    const char *const *names; /* the names of the files in messages */
    size_t count;
    const char *output;        /* not one of the files; an existing file is moved aside */
    struct jfr_secret *secret; /* texts that are left out; NULL: none */
};

/**
 * Writes the chunks of all files into one. If several files have the same chunk, as two dumps of
 * one JVM do, it is written once. Returns an enum cmd_result.
 */
int jfr_merge_files(const char *const *paths, size_t count, const char *output);
/** Works like jfr_merge_files(), but prints nothing at the end. Errors: 0, or negative after saying
 * why; E_TRUNCATED: the readable part was written. */
int jfr_merge_write(const struct jfr_merge *what);
