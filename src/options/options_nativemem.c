/* options_nativemem.c - see options_nativemem.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_nativemem.h"
#include "kind/kind.h"

static const struct options_nativemem defaults = {.interval_bytes = 512 << 10};

static const struct options_row rows[] = {
    {"nativemem", .share = OPTIONS_ROW_LEAST, .kind = OPTIONS_ROW_SIZE, .part = OPTIONS_ROW_NEW,
     .at = offsetof(struct options_nativemem, interval_bytes), .least = 1, .most = INT32_MAX,
     .values = "<size>", .about = "event=nativemem: bytes between samples", .shown = "512k",
     .missing = "syntax error parsing nativemem=size",
     .wrong = "nativemem option value must be a size from 1 to 2g"},
    {0},
};

static const struct options_setting settings[] = {
    {"profiler.Malloc", "enabled", .presets = {"false", "false"}},
    {"profiler.Malloc", "interval", .option = "nativemem"},
    {"hprof.Mmap", "enabled", .presets = {"false", "false"}},
    {0},
};

static const struct options_ask asks[] = {{"event", "nativemem", .value = 1}, {0}};

static unsigned marks(int asked, const void *own)
{
    return asked ? OPTIONS_MARK_ASKED | OPTIONS_MARK_COUNTS | OPTIONS_MARK_MOMENTS : 0;
}

const struct options_group options_nativemem = {
    .name = "nativemem",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
    .asks = asks,
    .settings = settings,
    .asked_by = "event=nativemem",
    .asked_with = "nativemem",
    .marks = marks,
    .kinds = 1 << KIND_MALLOC | 1 << KIND_MAP,
};
