/* options_verify.c - see options_verify.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_verify.h"

static const struct options_verify defaults = {0};

#define AT(field) .at = offsetof(struct options_verify, field)
#define NUMBER .kind = OPTIONS_ROW_NUMBER

static const struct options_row rows[] = {
    {"verify", .kind = OPTIONS_ROW_TEXT_OF, AT(report)},
    {"verify_rate", NUMBER, AT(rate)},
    {"verify_share", NUMBER, AT(share)},
    {"verify_random", NUMBER, AT(random)},
    {"verify_seconds", NUMBER, AT(seconds)},
    {0},
};

static unsigned marks(int asked, const void *own)
{
    const struct options_verify *o = own;
    return o->report[0] ? OPTIONS_MARK_ASKED : 0;
}

const struct options_group options_verify = {
    .name = "verify",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
    .marks = marks,
    .not_beside = "verify= measures nothing else",
};
