/* options_heapdump.c - see options_heapdump.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_heapdump.h"

#define AT(field) .at = offsetof(struct options_heapdump, field)
#define SWITCH .share = OPTIONS_ROW_APART, .kind = OPTIONS_ROW_SWITCH

static const struct options_heapdump defaults = {
    .primfields = true,
    .primarrays = true,
    .longarrays = true,
    .sites = true,
};

/* The values are those of enum hprof_redact (format/hprof_redact.h). */
static const struct options_row_choice redactions[] = {{"n", 0}, {"y", 1}, {"all", 2}, {0}};

static const struct options_row rows[] = {
    {"primfields", SWITCH, AT(primfields)},
    {"primarrays", SWITCH, AT(primarrays)},
    {"longarrays", SWITCH, AT(longarrays)}, /* for `hprof heap PID` */
    {"sites", SWITCH, .part = OPTIONS_ROW_NEW, AT(sites), .values = "y|n",
     .about = "sites of objects in heap dumps?", .shown = "y"},
    {"plain", SWITCH, .part = OPTIONS_ROW_NEW, AT(plain), .values = "y|n",
     .about = "heap dump of what the JVM's has?", .shown = "n"},
    {"redact", .share = OPTIONS_ROW_APART, .kind = OPTIONS_ROW_CHOICE, .part = OPTIONS_ROW_NEW,
     AT(redact), .choices = redactions, .values = "n|y|all",
     .about = "zeros for texts, arrays, all values?", .shown = "n",
     .missing = "syntax error parsing redact=n|y|all"},
    {"redact-keep", .share = OPTIONS_ROW_APART, .kind = OPTIONS_ROW_TEXT_OF,
     .part = OPTIONS_ROW_NEW, AT(keep), .values = "<globs>",
     .about = "classes that keep their values", .shown = "none",
     .missing = "syntax error parsing redact-keep=globs"},
    {"redact-names", SWITCH, .part = OPTIONS_ROW_NEW, AT(names), .values = "y|n",
     .about = "other names of threads and code?", .shown = "n"},
    {0},
};

static const struct options_ask asks[] = {
    {"heap", "dump", .value = 1},
    {"heap", "all", .value = 1, .is_hidden = true},
    {0},
};

static unsigned marks(int asked, const void *own)
{
    const struct options_heapdump *o = own;
    unsigned all = OPTIONS_MARK_ASKED | OPTIONS_MARK_HEAP | OPTIONS_MARK_OBJECTS |
                   OPTIONS_MARK_FROZEN | OPTIONS_MARK_ALL_TRACES;
    if (!asked)
        return 0;
    all |= o->plain ? OPTIONS_MARK_PLAIN : 0;
    all |= o->redact != 0 && o->names ? OPTIONS_MARK_RENAMED : 0;
    return all | (o->sites ? OPTIONS_MARK_TRACKED | OPTIONS_MARK_OBJECT_SITES : 0);
}

const struct options_group options_heapdump = {
    .name = "heapdump",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
    .asks = asks,
    .asked_by = "heap=dump",
    .marks = marks,
};
