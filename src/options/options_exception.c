/* options_exception.c - see options_exception.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_exception.h"
#include "kind/kind.h"

static const struct options_ask asks[] = {
    {"event", "exception", .value = OPTIONS_EXCEPTION_MADE},
    {"event", "thrown", .value = OPTIONS_EXCEPTION_THROWN},
    {0},
};

static const struct options_setting settings[] = {
    {"jdk.JavaExceptionThrow", "enabled", .presets = {"false", "false"}},
    {0},
};

static unsigned marks(int asked, const void *own)
{
    return asked ? OPTIONS_MARK_ASKED | OPTIONS_MARK_MOMENTS | OPTIONS_MARK_COUNTS : 0;
}

const struct options_group options_exception = {
    .name = "exception",
    .asks = asks,
    .settings = settings,
    .asked_by = "event=exception",
    .marks = marks,
    .kinds = 1 << KIND_EXCEPTION,
};
