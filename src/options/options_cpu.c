/* options_cpu.c - see options_cpu.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_cpu.h"
#include "kind/kind.h"
#include "options/options_signal.h"
#include "options/row_names.h"

static const struct options_cpu defaults = {0};

static const char *const timers[] = {ROW_NAMES_TIMERS, NULL};
static const char *const walkers[] = {ROW_NAMES_WALKERS, NULL};

static const char *refuse_signal(const char *word)
{
    const char *why;
    return options_signal_named(word, &why) < 0 ? why : NULL;
}

#define AT(field) .at = offsetof(struct options_cpu, field)
#define WORD .kind = OPTIONS_ROW_WORD_OF
#define NEW .part = OPTIONS_ROW_NEW

static const struct options_row rows[] = {
    {"signal", .share = OPTIONS_ROW_FIXED_IF_SAID, WORD, NEW, AT(signal), .values = "<name>",
     .about = "signal of the timer", .shown = "PROF or a free one",
     .missing = "syntax error parsing signal=name", .refuse = refuse_signal},
    {"timer", .share = OPTIONS_ROW_FIXED_IF_SAID, WORD, NEW, AT(timer), .values = "<name>",
     .about = "timer", .shown = "the best", .missing = "syntax error parsing timer=name",
     .what = "timer", .names = timers},
    {"engine", .share = OPTIONS_ROW_FIXED_IF_SAID, WORD, AT(timer),
     .missing = "syntax error parsing engine=name", .what = "timer",
     .names = timers}, /* the earlier name of timer= */
    {"walker", .share = OPTIONS_ROW_FIXED_IF_SAID, WORD, NEW, AT(walker), .values = "<name>",
     .about = "stack walker", .shown = "the best", .missing = "syntax error parsing walker=name",
     .what = "walker", .names = walkers},
    {"native", .kind = OPTIONS_ROW_SWITCH, NEW, AT(native), .values = "y|n",
     .about = "C/C++ frames, all threads?", .shown = "n"},
    {"kernel", .kind = OPTIONS_ROW_SWITCH, NEW, AT(kernel), .values = "y|n",
     .about = "kernel frames?", .shown = "n"},
    {0},
};

static const struct options_setting settings[] = {
    {"jdk.ExecutionSample", "enabled", .presets = {"true", "true"}},
    {"jdk.ExecutionSample", "period", .option = "interval", .presets = {"20 ms", "10 ms"}},
    {"jdk.ExecutionSample", "depth", .option = "depth"},
    /* These are the same samples once more. Off by default, because a reader that does not know
     * this would add both. */
    {"jdk.CPUTimeSample", "enabled", .presets = {"false", "false"}, .is_named_only = true},
    {"jdk.CPUTimeSample", "throttle", .option = "interval", .is_throttle = true},
    {0},
};

static const struct options_ask asks[] = {
    {"cpu", "y", .value = 1, .is_hidden = true},
    {"cpu", "samples", .value = 1},
    {"event", "cpu", .value = 1},
    {0},
};

static unsigned marks(int asked, const void *own)
{
    return asked ? OPTIONS_MARK_ASKED | OPTIONS_MARK_SAMPLES | OPTIONS_MARK_COUNTS |
                       OPTIONS_MARK_MOMENTS
                 : 0;
}

const struct options_group options_cpu = {
    .name = "cpu",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
    .asks = asks,
    .settings = settings,
    .asked_by = "cpu=samples",
    .marks = marks,
    .kinds = 1 << KIND_SAMPLE,
};
