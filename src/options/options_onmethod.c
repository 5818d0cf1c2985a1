/*
 * options_onmethod.c - the trigger onmethod=: see options_on.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options_call.h"
#include "options/options_on.h"

extern const struct options_group options_onmethod;

/* Checks org.h2.Driver::connect. With :>50ms after it only calls that last longer fire the
 * trigger. */
static const char *refuse(char what[OPTIONS_ON_TEXT])
{
    static const char wrong[] =
        "onmethod option value must be CLASS::METHOD or CLASS::METHOD:>TIME, as in "
        "org.h2.Driver::connect:>50ms:threads";
    return options_call_check(what, false) ? NULL : wrong;
}

static const char *set(void *into, const char *value)
{
    static const struct options_on_kind kind = {.refuse = refuse};
    return options_on_add(into, &kind, value);
}

static const struct options_row rows[] = {
    {"onmethod", .share = OPTIONS_ROW_APART, .kind = OPTIONS_ROW_OWN, .part = OPTIONS_ROW_NEW,
     .set = set, .values = "<class>::<m>", .about = "start at a call [:>50ms]", .shown = "off",
     .missing = "syntax error parsing onmethod"},
    {0},
};

static const struct options_ask asks[] = {{"onmethod", "", .value = 1, .is_hidden = true}, {0}};

const struct options_group options_onmethod = {
    .name = "onmethod",
    .bytes = sizeof(options_on_none),
    .defaults = &options_on_none,
    .rows = rows,
    .asks = asks,
    .asked_by = "onmethod=",
    .asked_with = "onmethod",
    .marks = options_on_marks,
};
