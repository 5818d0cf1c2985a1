/*
 * kind_wall.c - wall-clock time: samples of equal weight, of running and of waiting threads.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

static const struct kind_jfr jfr[] = {
    {.event = "profiler.WallClockSample",
     .stack = "stackTrace",
     .values = {"samples"},
     .has_state = true},
    {0},
};

const struct kind kind_wall = {
    .id = KIND_WALL,
    .name = "WALL",
    .word = "wall",
    .title = "wall-clock time",
    .values =
        {
            {"SAMPLES", "samples", KIND_UNIT_COUNT, .sample_type = "wall"},
        },
    .series = {{"wall", KIND_WALL, 0, 3}},
    .jfr = jfr,
    .jfr_layout = KIND_JFR_WALL,
    .report = {KIND_REPORT_WALL, .of = ": wall-clock time"},
};
