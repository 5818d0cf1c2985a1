/*
 * jfr_output.h - the file that the words of `hprof jfr` write.
 *
 * The file is made when the first bytes come, so a word that has nothing to write changes nothing.
 * An existing file of the name is moved aside when the new file is complete. A file that could not
 * be written completely is removed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "base/sink.h"
#include "command/outfile.h"

struct jfr_chunk;
struct jfr_renumber;
struct jfr_secret;

struct jfr_output {
    const char *path;
    const char *command; /* messages begin with it: jfr, unless another is set */
    struct sink sink;    /* the callers write here */
    struct outfile file;
    struct sink to; /* the sink of the file itself */
    bool is_open;
};

/** Prepares the output; `path` "-" is standard output. Errors: 0, -ENOMEM. Owner:
 * jfr_output_close(), also after an error. *o may not move. */
int jfr_output_open(struct jfr_output *o, const char *path);
/** Whether the output would replace the file `path`. To be asked before the output is opened. A
 * hard link with another name is not replaced, because the output replaces a name and not the
 * file's bytes. */
bool jfr_output_takes(const char *output, const char *path);
/** Ends the output; `error` is an error of the caller. Returns `error`, or an error of the file
 * after saying it. */
int jfr_output_close(struct jfr_output *o, int error);
/**
 * Writes a chunk whose constants were read.
 *
 * A finished chunk is copied byte for byte. An unfinished chunk is written again with its complete
 * part, because the JDK's tools refuse unfinished chunks. A chunk without types is left out.
 * `renumber` changes the chunk if the output has chunks of other JVMs; NULL: unchanged. `secret`
 * names texts to leave out; NULL: none.
 *
 * Errors: 0, -ENOMEM, the sink's.
 */
int jfr_output_chunk(struct sink *s, struct jfr_chunk *c, const struct jfr_renumber *renumber,
                     struct jfr_secret *secret);
