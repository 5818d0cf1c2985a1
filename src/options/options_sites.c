/* options_sites.c - see options_sites.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_sites.h"
#include "kind/kind.h"

static const struct options_sites defaults = {.gc = true};

static const struct options_row rows[] = {
    {"gc", .share = OPTIONS_ROW_APART, .kind = OPTIONS_ROW_SWITCH, .part = OPTIONS_ROW_NEW,
     .at = offsetof(struct options_sites, gc), .values = "y|n",
     .about = "collect before a table of sites?", .shown = "y"},
    {0},
};

static const struct options_ask asks[] = {
    {"heap", "sites", .value = 1},
    {"heap", "all", .value = 1, .is_hidden = true},
    {0},
};

static unsigned marks(int asked, const void *own)
{
    return asked ? OPTIONS_MARK_ASKED | OPTIONS_MARK_HEAP | OPTIONS_MARK_ALL_TRACES |
                       OPTIONS_MARK_COUNTS | OPTIONS_MARK_TRACKED | OPTIONS_MARK_SITES
                 : 0;
}

const struct options_group options_sites = {
    .name = "sites",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
    .asks = asks,
    .asked_by = "heap=sites",
    .marks = marks,
    .kinds = 1 << KIND_SITE,
};
