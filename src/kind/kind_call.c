/*
 * kind_call.c - calls that have ended, and their time without the time of their callees
 * (cpu=times).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

const struct kind kind_call = {
    .id = KIND_CALL,
    .name = "CALL",
    .word = "times",
    .title = "calls",
    .values =
        {
            {"TIME", "time", KIND_UNIT_NS, .sample_type = "time"},
            {"CALLS", "calls", KIND_UNIT_COUNT, .sample_type = "calls"},
            {"RAW_TIME", "time as measured", KIND_UNIT_NS, .sample_type = "time_measured",
             .is_raw = true},
        },
    .series = {{"times", KIND_CALL, 0, 2}},
    .text = {KIND_TEXT_TIMES, "CPU TIME (ms)", "EXACT CPU TIME (ns)", "", "method",
             .may_be_empty = true, .begins_dump = true},
    .report = {KIND_REPORT_TIMES, "in methods", "calls", ": cpu=times"},
};
