/*
 * options_onthrow.c - the trigger onthrow=: see options_on.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>
#include "options/options_on.h"

extern const struct options_group options_onthrow;

static struct options_on defaults; /* zero; not const, so that it takes no room in the library */

/* Checks java.io.IOException or java/io/IOException; a + after it includes subclasses. */
static const char *refuse(char what[OPTIONS_ON_TEXT])
{
    size_t len = strlen(what);
    bool has_more = len > 0 && what[len - 1] == '+';
    if (has_more)
        what[len - 1] = '\0';
    if (!options_on_read_class(what, len - (has_more ? 1 : 0)))
        return "onthrow option value must be a class, as java.io.IOException:dump";
    if (has_more)
        what[len - 1] = '+';
    return NULL;
}

static const char *set(void *into, const char *value)
{
    static const struct options_on_kind kind = {.refuse = refuse};
    return options_on_add(into, &kind, value);
}

static const struct options_row rows[] = {
    {"onthrow", .share = OPTIONS_ROW_APART, .kind = OPTIONS_ROW_OWN, .part = OPTIONS_ROW_NEW,
     .set = set, .values = "<class>[+]", .about = "start when it is thrown", .shown = "off",
     .missing = "syntax error parsing onthrow"},
    {0},
};

static const struct options_ask asks[] = {{"onthrow", "", .value = 1, .is_hidden = true}, {0}};

const struct options_group options_onthrow = {
    .name = "onthrow",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
    .asks = asks,
    .asked_by = "onthrow=",
    .asked_with = "onthrow",
    .marks = options_on_marks,
};
