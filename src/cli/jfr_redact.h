/*
 * jfr_redact.h - which texts of a recording are left out of its copy, and what stands in their
 * place.
 *
 * A secret has a name, as a system property or an environment variable has, and is where that name
 * is: the value beside the key, and behind "-Dname=" or "--name=" in the arguments of the JVM, of
 * its program, of other processes and in variables that hold arguments. A recording joins arguments
 * with blanks and quotes nothing, so a value there ends at the next word that begins with a dash.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "cli/textbuf.h"
#include "jfr/jfr_chunk.h"

struct jfr_text;

struct jfr_redact {
    const char *texts; /* patterns of whole texts; NULL: none */
    const char *keys;  /* patterns of names whose values are secret; NULL: none */
    struct textbuf text, shown;
};

/** What is written in place of a text, valid until the next call; NULL: it stays. The parameters
 * are those of struct jfr_rewrite's `replaces`. */
const char *jfr_redact_text(struct jfr_redact *r, const struct jfr_chunk *c,
                            const struct jfr_record *event, const struct jfr_type *type,
                            const struct jfr_field *field, const struct jfr_text *text);
/** Writes `text` without the values of names that fit `keys`, and a NUL, to `to`. Returns whether
 * there are any; `to` is not to be used where there are none. */
bool jfr_redact_arguments(const char *keys, const char *text, struct textbuf *to);
void jfr_redact_done(struct jfr_redact *r);
