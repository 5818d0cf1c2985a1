/*
 * jfr_secret.h - removes passwords and similar secrets from a JVM's own recording: from arguments,
 * properties and the environment. JDKs before 27 write them into recordings.
 *
 * base/secret.h decides what is a secret. A value that holds options, such as that of
 * JAVA_TOOL_OPTIONS or CATALINA_OPTS, is handled like arguments.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "base/secret.h"
#include "command/textbuf.h"
#include "jfr/jfr_chunk.h"

struct jfr_text;

struct jfr_secret {
    struct secret secret;
    struct textbuf text, shown;
};

/** For `replaces` of struct jfr_rewrite; `with` is a struct jfr_secret. */
const char *jfr_secret_text(void *with, const struct jfr_chunk *c, const struct jfr_record *event,
                            const struct jfr_type *type, const struct jfr_field *field,
                            const struct jfr_text *text);
void jfr_secret_done(struct jfr_secret *s);
