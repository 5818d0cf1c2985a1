/*
 * options_oncgroup.c - the trigger oncgroup=: see options_on.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options_oncgroup.h"
#include <stdlib.h>
#include <string.h>
#include "options/options_on.h"

enum { PERCENT_MAX = 99 };

extern const struct options_group options_oncgroup;

static struct options_on defaults; /* zero; not const, so that it takes no room in the library */

uint32_t options_oncgroup_percent(const char *what)
{
    size_t digits = strspn(what, "0123456789");
    unsigned long percent = digits > 0 && digits <= 2 ? strtoul(what, NULL, 10) : 0;
    return strcmp(what + digits, "%") == 0 && percent <= PERCENT_MAX ? (uint32_t)percent : 0;
}

static const char *refuse(char what[OPTIONS_ON_TEXT])
{
    if (options_oncgroup_percent(what) == 0)
        return "oncgroup option value must be a share of the memory cgroup's limit, 1% to 99%: "
               "oncgroup=75%:heap";
    return NULL;
}

static const char *set(void *into, const char *value)
{
    static const struct options_on_kind kind = {.refuse = refuse};
    return options_on_add(into, &kind, value);
}

static const struct options_row rows[] = {
    {"oncgroup", .share = OPTIONS_ROW_APART, .kind = OPTIONS_ROW_OWN, .part = OPTIONS_ROW_NEW,
     .set = set, .values = "<number>%", .about = "start so near the limit", .shown = "off",
     .missing = "syntax error parsing oncgroup"},
    {0},
};

static const struct options_ask asks[] = {{"oncgroup", "", .value = 1, .is_hidden = true}, {0}};

const struct options_group options_oncgroup = {
    .name = "oncgroup",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
    .asks = asks,
    .asked_by = "oncgroup=",
    .asked_with = "oncgroup",
    .marks = options_on_marks,
};
