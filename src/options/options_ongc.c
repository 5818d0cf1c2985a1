/*
 * options_ongc.c - the trigger ongc=: see options_on.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/units.h"
#include "options/options_on.h"
#include "safe/clock.h"

extern const struct options_group options_ongc;

static struct options_on defaults; /* zero; not const, so that it takes no room in the library */

static const char *refuse(char what[OPTIONS_ON_TEXT])
{
    uint64_t ns;
    if (what[0] != '>' || units_parse_duration(what + 1, NS_PER_MS, &ns) != 0)
        return "ongc option value must be > and a time: ongc=>200ms:dump";
    return NULL;
}

static const char *set(void *into, const char *value)
{
    static const struct options_on_kind kind = {.refuse = refuse};
    return options_on_add(into, &kind, value);
}

static const struct options_row rows[] = {
    {"ongc", .share = OPTIONS_ROW_APART, .kind = OPTIONS_ROW_OWN, .part = OPTIONS_ROW_NEW,
     .set = set, .values = "><time>", .about = "start at so long a pause", .shown = "off",
     .missing = "syntax error parsing ongc"},
    {0},
};

static const struct options_ask asks[] = {{"ongc", "", .value = 1, .is_hidden = true}, {0}};

const struct options_group options_ongc = {
    .name = "ongc",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
    .asks = asks,
    .asked_by = "ongc=",
    .asked_with = "ongc",
    .marks = options_on_marks,
};
