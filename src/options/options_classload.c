/*
 * options_classload.c - the option event=classload, which has no other options.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"
#include "options/options_group.h"

extern const struct options_group options_classload;

static const struct options_ask asks[] = {{"event", "classload", .value = 1}, {0}};

static const struct options_setting settings[] = {
    {"jdk.ClassLoad", "enabled", .presets = {"false", "false"}},
    {0},
};

static unsigned marks(int asked, const void *own)
{
    return asked ? OPTIONS_MARK_ASKED | OPTIONS_MARK_MOMENTS | OPTIONS_MARK_COUNTS : 0;
}

const struct options_group options_classload = {
    .name = "classload",
    .asks = asks,
    .settings = settings,
    .asked_by = "event=classload",
    .marks = marks,
    .kinds = 1 << KIND_CLASS_LOAD,
};
