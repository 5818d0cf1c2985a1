/* options_custom.c - see options_custom.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_custom.h"

static const struct options_ask asks[] = {{"event", "custom", .value = 1}, {0}};

static unsigned marks(int asked, const void *own)
{
    return asked ? OPTIONS_MARK_ASKED : 0;
}

int64_t options_custom_least_ns(const struct options *o, const char *event, uint64_t own_ns)
{
    return own_ns < INT64_MAX ? (int64_t)own_ns : INT64_MAX - 1;
}

const struct options_group options_custom = {
    .name = "custom",
    .asks = asks,
    .asked_by = "event=custom",
    .marks = marks,
    .of_format = 'j',
    .not_binary = "event=custom is for JFR: file=x.jfr",
};
