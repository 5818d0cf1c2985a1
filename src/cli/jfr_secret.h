/*
 * jfr_secret.h - the passwords and their like in what a JVM's own recording tells of arguments,
 * properties and the environment, which JDKs before 27 write as they are.
 *
 * What is secret base/secret.h says. A value that holds options, as those of JAVA_TOOL_OPTIONS and
 * CATALINA_OPTS do, is looked at as arguments. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "base/secret.h"
#include "cli/textbuf.h"
#include "jfr/jfr_chunk.h"

struct jfr_text;

struct jfr_secret {
    struct secret secret;
    struct textbuf text, shown;
};

/** As struct jfr_rewrite's `replaces` has it; `with` is the struct above. */
const char *jfr_secret_text(void *with, const struct jfr_chunk *c, const struct jfr_record *event,
                            const struct jfr_type *type, const struct jfr_field *field,
                            const struct jfr_text *text);
void jfr_secret_done(struct jfr_secret *s);
