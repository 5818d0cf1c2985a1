/*
 * jfr_output.h - the file that a word of `hprof jfr` writes.
 *
 * It is made when the first bytes come: whoever has nothing to write changes nothing. A file of
 * that name is moved aside when the new one is whole; one that could not be written whole is
 * removed. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "base/sink.h"
#include "cli/outfile.h"

struct jfr_chunk;
struct jfr_renumber;
struct jfr_secret;

struct jfr_output {
    const char *path;
    const char *command; /* whose messages there are: jfr, unless another is set */
    struct sink sink;    /* for who writes */
    struct outfile file;
    struct sink to; /* the file */
    bool is_open;
};

/** `path` "-" is standard output. Errors: 0, -ENOMEM. Owner: jfr_output_close(), also after an
 * error. May not move. */
int jfr_output_open(struct jfr_output *o, const char *path);
/** Whether what goes to `output` would go into the file or the name `path`: asked before the output
 * is opened. Another name of the same file is another file: the output takes its name alone. */
bool jfr_output_takes(const char *output, const char *path);
/** `error`: of what was written. Returns it, or that of the file, after saying what the file's is.
 */
int jfr_output_close(struct jfr_output *o, int error);
/**
 * Writes a chunk, of which the constants were read. A whole one is copied byte for byte; one that
 * was not finished is written again with what is whole of it, for the tools of JDKs refuse it; of
 * one without types nothing is. `renumber`: how it comes to stand behind chunks of other JVMs;
 * NULL: there are none. `secret`: what is left out of it; NULL: nothing. Errors: 0, -ENOMEM, the
 * sink's.
 */
int jfr_output_chunk(struct sink *s, struct jfr_chunk *c, const struct jfr_renumber *renumber,
                     struct jfr_secret *secret);
