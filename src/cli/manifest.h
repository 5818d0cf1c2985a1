/*
 * manifest.h - which files the JVMs under `hprof run` wrote.
 *
 * A temporary file to which each agent appends "pid TAB +PATH" when its recording begins and "pid
 * TAB PATH", the path from the root, when the file is finished; or, when its JVM is that of a build
 * tool which is left alone, "pid TAB =NAME" as soon as it is loaded.
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

/* JVMs of a build tool. */
struct manifest_left {
    char tool[16];
    long pid; /* of the first of them */
};

struct manifest {
    char *path;                     /* of the manifest itself */
    struct manifest_entry *entries; /* finished */
    size_t count;
    struct manifest_entry *open; /* begun, and not finished */
    size_t open_count;
    struct manifest_left left[MANIFEST_TOOLS_MAX];
    size_t left_count;
};

/** Errors: 0, or negative after saying why. Owner: manifest_close(), also after an error. */
int manifest_open(struct manifest *m);
/** Fill `entries`, in the order in which the JVMs ended, `open` and `left`. Errors as above. */
int manifest_read(struct manifest *m);
/** Append the entries in `in`, whatever bytes it has; a line that is none, or is cut, ends nothing
 * and is no entry. Errors: 0, -ENOMEM. Owner: as above. */
int manifest_parse(struct manifest *m, FILE *in);
/** What process `pid` has begun counts as finished. Errors: 0, -ENOMEM. */
int manifest_finish(struct manifest *m, long pid);
void manifest_close(struct manifest *m);
