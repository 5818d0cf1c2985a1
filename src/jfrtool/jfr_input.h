/*
 * jfr_input.h - opens a JFR file for a command, and reports the file's damage.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "gzip/gzfeed.h"
#include "jfr/jfr_file.h"

/** The message if a recording has no System.nanoTime(). */
#define JFR_INPUT_NO_NANOTIME                                                                      \
    "System.nanoTime is not in it, nor known: this machine has booted since; give times, or "      \
    "seconds "                                                                                     \
    "since its beginning"

struct jfr_input {
    const char *path;
    int fd;
    struct gzfeed feed; /* unpacks packed files */
    struct jfr_file file;
};

/** Opens the file. Errors: 0, or negative after saying why. Owner: jfr_input_close(). */
int jfr_input_open(struct jfr_input *in, const char *path, bool with_constants);
/** Works like jfr_input_open(), for a file that messages call `name`. */
int jfr_input_open_as(struct jfr_input *in, const char *path, const char *name,
                      bool with_constants);
/** Goes to the next chunk. Returns 1; 0 at the end; negative after saying why. */
int jfr_input_next(struct jfr_input *in);
/** Says why the file could not be read or its events could not be written. */
void jfr_input_say(const struct jfr_input *in, int error);
/** Closes the file and says what was damaged and lost. Returns whether nothing was. */
bool jfr_input_close(struct jfr_input *in);
