/*
 * kind_custom.c - events of types that a program has defined; the text is the type's name.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

static const struct kind_jfr jfr[] = {
    {.event = "",
     .of = KIND_JFR_OF_APPLICATION,
     .stack = "stackTrace",
     .values = {"duration"},
     .units = {KIND_JFR_NS}},
    {0},
};

const struct kind kind_custom = {
    .id = KIND_CUSTOM,
    .name = "CUSTOM",
    .word = "custom",
    .title = "events of the application",
    .values =
        {
            {"TIME", "time", KIND_UNIT_NS, .sample_type = "custom_time"},
            {"EVENTS", "events", KIND_UNIT_COUNT, .sample_type = "custom_events"},
        },
    .series = {{"custom", KIND_CUSTOM, 0, 14}},
    .jfr = jfr,
    .jfr_layout = KIND_JFR_APPLICATION,
    .inside = KIND_INSIDE_SPAN,
};
