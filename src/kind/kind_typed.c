/*
 * kind_typed.c - events of types that the user of a command has named; the text is the type's
 * name.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

static const struct kind_jfr jfr[] = {
    {.event = "",
     .of = KIND_JFR_OF_USER,
     .stack = "stackTrace",
     .values = {"duration"},
     .units = {KIND_JFR_NS}},
    {0},
};

const struct kind kind_typed = {
    .id = KIND_TYPED,
    .name = "TYPED",
    .word = "typed",
    .title = "events",
    .values =
        {
            {"TIME", "time", KIND_UNIT_NS, .sample_type = "event_time"},
            {"EVENTS", "events", KIND_UNIT_COUNT, .sample_type = "events"},
            {"BYTES", "bytes", KIND_UNIT_BYTES, .sample_type = "event_bytes"},
        },
    /* A profile is shown by the first series that it has: by time if the events have a duration,
     * else by bytes. */
    .series = {{"time", KIND_TYPED, 0, 0},
               {"bytes", KIND_TYPED, 2, 0},
               {"events", KIND_TYPED, 1, 0}},
    .jfr = jfr,
};
