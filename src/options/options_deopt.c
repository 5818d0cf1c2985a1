/*
 * options_deopt.c - the option event=deopt, which has no other options.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"
#include "options/options_group.h"

extern const struct options_group options_deopt;

static const struct options_ask asks[] = {{"event", "deopt", .value = 1}, {0}};

static const struct options_setting settings[] = {
    {"jdk.Deoptimization", "enabled", .presets = {"false", "false"}},
    {0},
};

static unsigned marks(int asked, const void *own)
{
    return asked ? OPTIONS_MARK_ASKED | OPTIONS_MARK_MOMENTS | OPTIONS_MARK_COUNTS : 0;
}

const struct options_group options_deopt = {
    .name = "deopt",
    .asks = asks,
    .settings = settings,
    .asked_by = "event=deopt",
    .marks = marks,
    .kinds = 1 << KIND_DEOPT,
};
