/*
 * jfr_input.h - a JFR file that a command reads, and what it says of its damage.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "gzip/gzfeed.h"
#include "jfr/jfr_file.h"

struct jfr_input {
    const char *path;
    int fd;
    struct gzfeed feed; /* packed files, too */
    struct jfr_file file;
};

/** Errors: 0, or negative after saying why. Owner: jfr_input_close(). */
int jfr_input_open(struct jfr_input *in, const char *path, bool with_constants);
/** The same of a file that messages call `name`. */
int jfr_input_open_as(struct jfr_input *in, const char *path, const char *name,
                      bool with_constants);
/** The next chunk: 1; 0 at the end; negative after saying why. */
int jfr_input_next(struct jfr_input *in);
/** Says why the file could not be read, or its events not be written. */
void jfr_input_say(const struct jfr_input *in, int error);
/** Says what was damaged and lost. Returns whether nothing was. */
bool jfr_input_close(struct jfr_input *in);
