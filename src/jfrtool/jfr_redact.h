/*
 * jfr_redact.h - decides which texts of a recording are replaced in its copy.
 *
 * A secret is the value of a name: of a system property, an environment variable or an argument.
 * The value is replaced in two places: in the field "value" beside the field "key", and after
 * "-Dname=" or "--name=" in arguments of the JVM, its program and other processes, or in variables
 * that hold arguments. A recording joins arguments with blanks and without quotation marks. So a
 * value in arguments ends before the next word that begins with a dash.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "command/textbuf.h"
#include "jfr/jfr_chunk.h"

struct jfr_text;

struct jfr_redact {
    const char *texts; /* patterns of whole texts that are secret; NULL: none */
    const char *keys;  /* patterns of names whose values are secret; NULL: none */
    struct textbuf text, shown;
};

/** The text to write instead of a text, valid until the next call; NULL: the text stays. The
 * parameters are those of `replaces` in struct jfr_rewrite. */
const char *jfr_redact_text(struct jfr_redact *r, const struct jfr_chunk *c,
                            const struct jfr_record *event, const struct jfr_type *type,
                            const struct jfr_field *field, const struct jfr_text *text);
/** Writes `text` and a NUL to `to`, without the values of names that match `keys`. Returns whether
 * a value was left out; if not, `to` must not be used. */
bool jfr_redact_arguments(const char *keys, const char *text, struct textbuf *to);
void jfr_redact_done(struct jfr_redact *r);
