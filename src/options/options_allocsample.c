/* options_allocsample.c - see options_allocsample.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_allocsample.h"
#include <math.h>
#include "kind/kind.h"

static const struct options_allocsample defaults = {.interval_bytes = 512 << 10, .rate = HUGE_VAL};

static const struct options_row rows[] = {
    {"alloc", .share = OPTIONS_ROW_LEAST, .kind = OPTIONS_ROW_SIZE, .part = OPTIONS_ROW_NEW,
     .at = offsetof(struct options_allocsample, interval_bytes), .least = 1, .most = INT32_MAX,
     .values = "<size>", .about = "event=alloc, live: bytes between samples", .shown = "512k",
     .missing = "syntax error parsing alloc=size",
     .wrong = "alloc option value must be a size from 1 to 2g"},
    {"allocrate", .share = OPTIONS_ROW_APART, .kind = OPTIONS_ROW_RATE, .part = OPTIONS_ROW_NEW,
     .at = offsetof(struct options_allocsample, rate), .values = "<n>/s|off",
     .about = "event=alloc, live: samples at most", .shown = "off",
     .missing = "syntax error parsing allocrate=n/s",
     .wrong = "allocrate option value must be a rate, as 150/s, or off"},
    {"survived", .share = OPTIONS_ROW_APART, .kind = OPTIONS_ROW_COUNT, .part = OPTIONS_ROW_NEW,
     .at = offsetof(struct options_allocsample, survived), .most = INT32_MAX, .values = "<n>",
     .about = "event=live: collections they survived", .shown = "0",
     .missing = "syntax error parsing survived=n",
     .wrong = "survived option value must be a number of collections"},
    {0},
};

static const struct options_setting settings[] = {
    {"jdk.ObjectAllocationSample", "enabled", .presets = {"true", "true"}},
    {"jdk.ObjectAllocationSample", "throttle", .option = "allocrate",
     .presets = {"150/s", "300/s"}},
    {"jdk.ObjectAllocationSample", "interval", .option = "alloc"},
    {0},
};

static const struct options_ask asks[] = {
    {"event", "alloc", .value = OPTIONS_ALLOCSAMPLE_MADE},
    {"event", "live", .value = OPTIONS_ALLOCSAMPLE_LIVE},
    {0},
};

static unsigned marks(int asked, const void *own)
{
    return asked ? OPTIONS_MARK_ASKED | OPTIONS_MARK_COUNTS | OPTIONS_MARK_SITES |
                       OPTIONS_MARK_MOMENTS
                 : 0;
}

const struct options_group options_allocsample = {
    .name = "allocsample",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
    .asks = asks,
    .settings = settings,
    .asked_by = "event=alloc",
    .is_asked_apart = true,
    .marks = marks,
    .kinds = 1 << KIND_SITE,
};
