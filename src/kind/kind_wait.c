/*
 * kind_wait.c - calls of methods that only wait, for example Object.wait (cpu=times).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

const struct kind kind_wait = {
    .id = KIND_WAIT,
    .name = "WAIT",
    .word = "waits",
    .title = "calls that wait",
    .values =
        {
            {"TIME", "time", KIND_UNIT_NS, .sample_type = "wait_time"},
            {"CALLS", "calls", KIND_UNIT_COUNT, .sample_type = "waits"},
        },
    .series = {{"waits", KIND_WAIT, 0, 10}},
    .text = {KIND_TEXT_TIMES, "WAITING (ms)", "EXACT WAITING (ns)", "", "method"},
    .report = {KIND_REPORT_TIMES, "of waiting, in calls that do nothing else", "calls",
               ": waiting, not work"},
};
