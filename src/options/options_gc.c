/*
 * options_gc.c - the option event=gc, which has no other options.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"
#include "options/options_group.h"

extern const struct options_group options_gc;

static const struct options_ask asks[] = {{"event", "gc", .value = 1}, {0}};

static const struct options_setting settings[] = {
    {"jdk.GarbageCollection", "enabled", .presets = {"true", "true"}},
    {0},
};

static unsigned marks(int asked, const void *own)
{
    return asked ? OPTIONS_MARK_ASKED | OPTIONS_MARK_MOMENTS : 0;
}

const struct options_group options_gc = {
    .name = "gc",
    .asks = asks,
    .settings = settings,
    .asked_by = "event=gc",
    .marks = marks,
    .kinds = 1 << KIND_GC,
};
