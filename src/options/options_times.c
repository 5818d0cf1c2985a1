/* options_times.c - see options_times.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_times.h"
#include "kind/kind.h"

static struct options_times defaults; /* zero; not const, so that it takes no room in the library */

const char *const options_times_clocks[] = {"tsc", "nano", "tick", "cpu", "none", NULL};

static const struct options_row_choice intrinsics[] = {{"leave", 0}, {"count", 1}, {0}};

#define AT(field) .at = offsetof(struct options_times, field)
#define NEW .part = OPTIONS_ROW_NEW

static const struct options_row rows[] = {
    {"clock", .share = OPTIONS_ROW_FIXED_IF_SAID, .kind = OPTIONS_ROW_WORD_OF, NEW, AT(clock),
     .values = "<name>", .about = "times", .shown = "the best",
     .missing = "syntax error parsing clock=name", .what = "clock", .names = options_times_clocks},
    {"include", .kind = OPTIONS_ROW_TEXT_OF, NEW, AT(include), .values = "<patterns>",
     .about = "times: only these methods", .shown = "all",
     .missing = "syntax error parsing include=patterns"},
    {"exclude", .kind = OPTIONS_ROW_TEXT_OF, NEW, AT(exclude), .values = "<patterns>",
     .about = "times: not these methods", .shown = "none",
     .missing = "syntax error parsing exclude=patterns"},
    {"intrinsics", .kind = OPTIONS_ROW_CHOICE, NEW, AT(intrinsics), .choices = intrinsics,
     .values = "leave|count", .about = "times: what the JIT replaces", .shown = "leave",
     .missing = "syntax error parsing intrinsics=leave|count"},
    {"raw", .share = OPTIONS_ROW_APART, .kind = OPTIONS_ROW_SWITCH, NEW, AT(raw), .values = "y|n",
     .about = "times: uncorrected ones too?", .shown = "n"},
    {0},
};

static const struct options_ask asks[] = {
    {"cpu", "times", .value = OPTIONS_TIMES_METHODS},
    {"cpu", "old", .value = OPTIONS_TIMES_OLD},
    {"event", "times", .value = OPTIONS_TIMES_METHODS},
    {0},
};

static unsigned marks(int asked, const void *own)
{
    unsigned old = asked == OPTIONS_TIMES_OLD ? OPTIONS_MARK_OLD : 0;
    return asked ? OPTIONS_MARK_ASKED | OPTIONS_MARK_COUNTS | old : 0;
}

const struct options_group options_times = {
    .name = "times",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
    .asks = asks,
    .asked_by = "cpu=times",
    .marks = marks,
    .kinds = 1 << KIND_CALL | 1 << KIND_OPEN_CALL | 1 << KIND_WAIT | 1 << KIND_OPEN_WAIT |
             1 << KIND_OLD_CALL,
};
