/*
 * kind_ttsp.c - times that the VM waited until all threads had come to a safepoint, with the thread
 * that came last (event=ttsp); the text names the VM's operation.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

static const struct kind_jfr jfr[] = {
    {.event = "hprof.TimeToSafepoint",
     .stack = "stackTrace",
     .text = "operation",
     .values = {"duration", "stops"},
     .units = {KIND_JFR_NS}},
    {0},
};

const struct kind kind_ttsp = {
    .id = KIND_TTSP,
    .name = "TTSP",
    .word = "ttsp",
    .title = "time to safepoint",
    .values =
        {
            {"TIME", "time", KIND_UNIT_NS, .sample_type = "safepoint_delay"},
            {"STOPS", "stops", KIND_UNIT_COUNT, .sample_type = "safepoints"},
        },
    .series = {{"ttsp", KIND_TTSP, 0, 23}},
    .jfr = jfr,
    .jfr_layout = KIND_JFR_SAFEPOINT,
};
