/*
 * options_onuncaught.c - the trigger onuncaught=: see options_on.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options_on.h"

extern const struct options_group options_onuncaught;

static struct options_on defaults; /* zero; not const, so that it takes no room in the library */

static const char *set(void *into, const char *value)
{
    static const struct options_on_kind kind = {.refuse = options_on_refuse_switch};
    return options_on_add(into, &kind, value);
}

static const struct options_row rows[] = {
    {"onuncaught", .share = OPTIONS_ROW_APART, .kind = OPTIONS_ROW_OWN, .part = OPTIONS_ROW_NEW,
     .set = set, .values = "y|n", .about = "start at an uncaught one", .shown = "off",
     .missing = "syntax error parsing onuncaught"},
    {0},
};

static const struct options_ask asks[] = {{"onuncaught", "", .value = 1, .is_hidden = true}, {0}};

const struct options_group options_onuncaught = {
    .name = "onuncaught",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
    .asks = asks,
    .asked_by = "onuncaught=",
    .asked_with = "onuncaught",
    .marks = options_on_marks,
};
