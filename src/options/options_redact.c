/*
 * options_redact.c - see options_redact.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options_redact.h"

static const struct options_redact defaults = {.keys = "", .arguments = ""};

#define AT(field) .at = offsetof(struct options_redact, field)

/* The names are those of -XX:FlightRecorderOptions in JDK 27. */
static const struct options_row rows[] = {
    {"redact-key", .share = OPTIONS_ROW_APART, .kind = OPTIONS_ROW_TEXT_OF, .part = OPTIONS_ROW_NEW,
     AT(keys), .values = "<globs>", .about = "properties whose values are hidden",
     .shown = "passwords ...", .missing = "syntax error parsing redact-key=globs"},
    {"redact-argument", .share = OPTIONS_ROW_APART, .kind = OPTIONS_ROW_TEXT_OF,
     .part = OPTIONS_ROW_NEW, AT(arguments), .values = "<globs>",
     .about = "arguments that are hidden", .shown = "passwords ...",
     .missing = "syntax error parsing redact-argument=globs"},
    {0},
};

/* No word asks for this group; it acts whatever is measured. */
const struct options_group options_redact = {
    .name = "redact",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
};
