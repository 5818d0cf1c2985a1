/*
 * kind_await.c - waits for other threads: Object.wait, and parks that are for no lock.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

static const struct kind_jfr jfr[] = {
    {.event = "jdk.JavaMonitorWait",
     .stack = "stackTrace",
     .klass = "monitorClass",
     .values = {"duration"},
     .units = {KIND_JFR_NS}},
    {.event = "jdk.ThreadPark",
     .stack = "stackTrace",
     .klass = "parkedClass",
     .values = {"duration"},
     .units = {KIND_JFR_NS},
     .if_lock = &kind_enter},
    {0},
};

const struct kind kind_await = {
    .id = KIND_AWAIT,
    .name = "AWAIT",
    .word = "await",
    .title = "waits for other threads",
    .values =
        {
            {"TIME", "time", KIND_UNIT_NS, .sample_type = "await_time"},
            {"WAITS", "waits", KIND_UNIT_COUNT, .sample_type = "awaits"},
        },
    .series = {{"await", KIND_AWAIT, 0, 9}},
    .jfr = jfr,
    .jfr_layout = KIND_JFR_BLOCKED,
    .inside = KIND_INSIDE_SPAN,
};
