/*
 * manifest.h - which files the JVMs under `hprof run` wrote.
 *
 * A temporary file to which each agent appends "pid TAB absolute path" in its last dump.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

struct manifest_entry {
    long pid;
    char *path;
};

struct manifest {
    char *path; /* of the manifest itself */
    struct manifest_entry *entries;
    size_t count;
};

/** Errors: 0, or negative after saying why. Owner: manifest_close(), also after an error. */
int manifest_open(struct manifest *m);
/** Fill `entries`, in the order in which the JVMs ended. Errors as above. */
int manifest_read(struct manifest *m);
void manifest_close(struct manifest *m);
