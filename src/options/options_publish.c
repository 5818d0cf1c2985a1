/*
 * options_publish.c - the option publish=y: contexts are published for other profilers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options_group.h"

extern const struct options_group options_publish;

struct own {
    bool is_wanted;
};

static const struct own defaults = {0};

static const struct options_row rows[] = {
    {"publish", .share = OPTIONS_ROW_APART, .kind = OPTIONS_ROW_SWITCH, .part = OPTIONS_ROW_NEW,
     .at = offsetof(struct own, is_wanted), .values = "y|n",
     .about = "contexts for other profilers", .shown = "n"},
    {0},
};

static unsigned marks(int asked, const void *own)
{
    const struct own *o = own;
    return o->is_wanted ? OPTIONS_MARK_ASKED : 0;
}

const struct options_group options_publish = {
    .name = "publish",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
    .marks = marks,
};
