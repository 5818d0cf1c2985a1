/* options_histo.c - see options_histo.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_histo.h"
#include "kind/kind.h"

/* "histo" is hidden for heap=, because messages list only the words that the original has. */
static const struct options_ask asks[] = {
    {"heap", "histo", .value = 1, .is_hidden = true},
    {"event", "histo", .value = 1},
    {0},
};

static unsigned marks(int asked, const void *own)
{
    return asked ? OPTIONS_MARK_ASKED | OPTIONS_MARK_FROZEN : 0;
}

const struct options_group options_histo = {
    .name = "histo",
    .asks = asks,
    .asked_by = "heap=histo",
    .marks = marks,
    .kinds = 1 << KIND_HISTO | 1 << KIND_LIVE_HISTO,
};
