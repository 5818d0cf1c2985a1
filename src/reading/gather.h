/*
 * gather.h - reads several files into one profile, for example of all processes of a build or of a
 * cluster. Each file is kept apart below a frame with its name, or as a process.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct diag;
struct load;
struct load_how;

/** One of the files. */
struct gather_file {
    const char *path;
    /* The JVM's process, if the caller knows it and the file does not name it; else 0. */
    uint32_t pid;
};

/**
 * Reads the files as `how` says.
 *
 * If how->with_processes is set, each thread belongs to a process: the process that the file names,
 * or a process made for the file. A process that several files name is one process. Otherwise the
 * stacks of all threads of a file are added up below a frame of the file. That frame names program
 * and pid if the pid is given, and the path if not.
 *
 * Errors: 0, or negative after `diag` was told why. A damaged file is not an error, as in
 * load_open(). Owner: load_close(), also after an error.
 */
int gather_open(const struct gather_file *files, size_t count, const struct load_how *how,
                struct diag *diag, struct load *ret_load);
