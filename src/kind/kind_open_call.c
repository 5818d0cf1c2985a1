/*
 * kind_open_call.c - calls that had not ended when the table was written (cpu=times).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

const struct kind kind_open_call = {
    .id = KIND_OPEN_CALL,
    .name = "OPEN_CALL",
    .word = "unfinished-calls",
    .title = "calls that have not ended",
    .values =
        {
            {"TIME", "time", KIND_UNIT_NS, .sample_type = "unfinished_time"},
            {"CALLS", "calls", KIND_UNIT_COUNT, .sample_type = "unfinished_calls"},
        },
    .text = {KIND_TEXT_TIMES, "UNFINISHED CALLS (ms)", "EXACT UNFINISHED CALLS (ns)", "", "method",
             .of_dump = true},
    .report = {KIND_REPORT_TIMES, "in calls that had not ended at the dump", "calls",
               ": calls that had not ended"},
};
