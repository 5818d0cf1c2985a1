/*
 * kind_sample.c - CPU time, as samples of equal weight: one for each sampling interval of CPU time
 * that a thread used.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

static const struct kind_jfr jfr[] = {
    {.event = "jdk.ExecutionSample",
     .rival = "jdk.CPUTimeSample",
     .stack = "stackTrace",
     .has_state = true,
     .if_wall = &kind_wall},
    {.event = "jdk.NativeMethodSample",
     .stack = "stackTrace",
     .state = "native",
     .is_waiting = true},
    {.event = "jdk.CPUTimeSample", .stack = "stackTrace", .state = "runnable", .has_period = true},
    {0},
};

const struct kind kind_sample = {
    .id = KIND_SAMPLE,
    .name = "SAMPLE",
    .word = "samples",
    .title = "CPU time",
    .values =
        {
            {"SAMPLES", "samples", KIND_UNIT_COUNT, .sample_type = "samples"},
        },
    .series = {{"cpu", KIND_SAMPLE, 0, 1}},
    .jfr = jfr,
    .jfr_layout = KIND_JFR_SAMPLE,
    .passed = "jfr_passed_samples",
    .text = {KIND_TEXT_SAMPLES, "CPU SAMPLES", .unit = "", .subject = "method",
             .may_be_empty = true},
    .report = {KIND_REPORT_SAMPLES},
    .inside = KIND_INSIDE_SAMPLES,
};
