/*
 * options_onoom.c - the trigger onoom=: see options_on.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options_on.h"

extern const struct options_group options_onoom;

static struct options_on defaults; /* zero; not const, so that it takes no room in the library */

static const char *set(void *into, const char *value)
{
    static const struct options_on_kind kind = {.refuse = options_on_refuse_switch};
    return options_on_add(into, &kind, value);
}

static const struct options_row rows[] = {
    {"onoom", .share = OPTIONS_ROW_APART, .kind = OPTIONS_ROW_OWN, .part = OPTIONS_ROW_NEW,
     .set = set, .values = "y|n", .about = "start when memory is out", .shown = "off",
     .missing = "syntax error parsing onoom"},
    {0},
};

static const struct options_ask asks[] = {{"onoom", "", .value = 1, .is_hidden = true}, {0}};

const struct options_group options_onoom = {
    .name = "onoom",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
    .asks = asks,
    .asked_by = "onoom=",
    .asked_with = "onoom",
    .marks = options_on_marks,
};
