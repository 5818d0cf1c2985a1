/*
 * manifest.h - the list of files that the JVMs under `hprof run` wrote.
 *
 * The list is a temporary file. Each agent appends "pid TAB +PATH" when its recording begins, and
 * "pid TAB PATH" when the file is finished; PATH is absolute. If the JVM belongs to a build tool
 * that is not profiled, the agent appends "pid TAB =NAME" as soon as it is loaded.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdio.h>

enum { MANIFEST_TOOLS_MAX = 8 };

struct manifest_entry {
    long pid;
    char *path;
};

/* The JVMs of one build tool. */
struct manifest_left {
    char tool[16];
    long pid; /* process of the first such JVM */
};

struct manifest {
    char *path;                     /* path of the list itself */
    struct manifest_entry *entries; /* finished files */
    size_t count;
    struct manifest_entry *open; /* files that were begun and are not finished */
    size_t open_count;
    struct manifest_left left[MANIFEST_TOOLS_MAX];
    size_t left_count;
};

/** Make the temporary file. Errors: 0, or negative after saying why. Owner: manifest_close(), also
 * after an error. */
int manifest_open(struct manifest *m);
/** Read the list: fill `entries` (in the order in which the JVMs ended), `open` and `left`. Errors:
 * as above. */
int manifest_read(struct manifest *m);
/** Append the entries of `in`, which may have any bytes. A line that is not an entry or is cut off
 * is ignored. Errors: 0, -ENOMEM. Owner: as above. */
int manifest_parse(struct manifest *m, FILE *in);
/** Count the file that process `pid` has begun as finished. Errors: 0, -ENOMEM. */
int manifest_finish(struct manifest *m, long pid);
void manifest_close(struct manifest *m);
