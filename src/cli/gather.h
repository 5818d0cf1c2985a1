/*
 * gather.h - the profiles of several files as one, each below a frame that has the file's name, or
 * as a process of its own: the processes of a build, or of a cluster, in one picture.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct load;
struct load_how;

/** One of the files. */
struct gather_file {
    const char *path;
    uint32_t pid; /* of its JVM, where the file does not say it and the caller knows it; else 0 */
};

/**
 * Reads the files as `how` says. The frame of a file whose JVM's pid is given names program and
 * pid. With processes each thread is of one: that which the file tells, one of several files being
 * one, or the file. Else stacks are those of all threads of a file together, below its frame.
 * Errors: 0, or negative after saying why; a file that is damaged is none, as in load_open().
 * Owner: load_close(), also after an error.
 */
int gather_open(const struct gather_file *files, size_t count, const struct load_how *how,
                struct load *ret_load);
