/*
 * kind_enter.c - contended enters of monitors, and parks for a lock; the text names the monitor.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

static const struct kind_jfr jfr[] = {
    {.event = "jdk.JavaMonitorEnter",
     .stack = "stackTrace",
     .text = "monitorClass",
     .values = {"duration"},
     .units = {KIND_JFR_NS}},
    {0},
};

const struct kind kind_enter = {
    .id = KIND_ENTER,
    .name = "ENTER",
    .word = "monitors",
    .title = "contended monitors",
    .values =
        {
            {"TIME", "time", KIND_UNIT_NS, .sample_type = "delay"},
            {"ENTERS", "enters", KIND_UNIT_COUNT, .sample_type = "contentions"},
        },
    .series = {{"lock", KIND_ENTER, 0, 8}},
    .jfr = jfr,
    .jfr_layout = KIND_JFR_BLOCKED,
    .text = {KIND_TEXT_ENTERS, "MONITOR TIME", "EXACT MONITOR TIME (ns)", " ms", "monitor",
             .may_be_empty = true, .needs_time = true},
    .report = {KIND_REPORT_ENTERS, "of waiting to enter monitors", "times"},
    .inside = KIND_INSIDE_SPAN,
};
