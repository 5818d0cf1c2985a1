/*
 * kind_old_call.c - pairs of callee and caller; the time includes that of the callee's own callees
 * (cpu=old).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

const struct kind kind_old_call = {
    .id = KIND_OLD_CALL,
    .name = "OLD_CALL",
    .word = "old",
    .title = "calls by caller",
    .values =
        {
            {"TIME", "time", KIND_UNIT_NS, .sample_type = "total_time"},
            {"CALLS", "calls", KIND_UNIT_COUNT, .sample_type = "total_calls"},
        },
    .series = {{"old", KIND_OLD_CALL, 0, 11}},
    .text = {KIND_TEXT_PAIRS},
    .report = {KIND_REPORT_INCLUSIVE, NULL, "calls", ": cpu=old"},
};
