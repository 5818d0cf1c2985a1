/*
 * kind_open_wait.c - waits that had not ended when the table was written (cpu=times).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

const struct kind kind_open_wait = {
    .id = KIND_OPEN_WAIT,
    .name = "OPEN_WAIT",
    .word = "unfinished-waits",
    .title = "waits that have not ended",
    .values =
        {
            {"TIME", "time", KIND_UNIT_NS, .sample_type = "unfinished_wait_time"},
            {"CALLS", "calls", KIND_UNIT_COUNT, .sample_type = "unfinished_waits"},
        },
    .text = {KIND_TEXT_TIMES, "UNFINISHED WAITS (ms)", "EXACT UNFINISHED WAITS (ns)", "", "method",
             .of_dump = true},
    .report = {KIND_REPORT_TIMES, "of waits that had not ended at the dump", "calls",
               ": waits that had not ended"},
};
