/*
 * jfr_output.h - the file that a word of `hprof jfr` writes.
 *
 * A file of that name is moved aside before; one that could not be written whole is removed.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "base/newfile.h"
#include "base/sink.h"

struct jfr_output {
    const char *path;
    struct newfile file;
    struct sink sink;
};

/** `path` "-" is standard output. Errors: 0, or negative after saying why. Owner:
 * jfr_output_close(). */
int jfr_output_open(struct jfr_output *o, const char *path);
/** `error`: of what was written. Returns it, or that of the file, after saying what the file's is.
 */
int jfr_output_close(struct jfr_output *o, int error);
