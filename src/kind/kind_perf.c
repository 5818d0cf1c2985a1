/*
 * kind_perf.c - events of the kernel and the processor, such as page faults and cycles; the text is
 * the event's name, as perf spells it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

static const struct kind_jfr jfr[] = {
    {.event = "hprof.PerfSample", .stack = "stackTrace", .text = "event", .values = {"events"}},
    {0},
};

static const char *const texts[] = {"cycles",
                                    "instructions",
                                    "cache-references",
                                    "cache-misses",
                                    "branches",
                                    "branch-misses",
                                    "bus-cycles",
                                    "stalled-cycles-frontend",
                                    "stalled-cycles-backend",
                                    "ref-cycles",
                                    "page-faults",
                                    "minor-faults",
                                    "major-faults",
                                    "context-switches",
                                    "cpu-migrations",
                                    "alignment-faults",
                                    "emulation-faults",
                                    "LLC-loads",
                                    "LLC-load-misses",
                                    "L1-dcache-loads",
                                    "L1-dcache-load-misses",
                                    "dTLB-load-misses",
                                    "iTLB-load-misses",
                                    NULL};

const struct kind kind_perf = {
    .id = KIND_PERF,
    .name = "PERF",
    .word = "perf",
    .title = "events of the kernel and the processor",
    .values =
        {
            {"EVENTS", "events", KIND_UNIT_COUNT, .sample_type = "perf_events"},
            {"SAMPLES", "samples", KIND_UNIT_COUNT, .sample_type = "perf_samples"},
        },
    .series = {{"perf", KIND_PERF, 0, 24}},
    .texts = texts,
    .jfr = jfr,
    .jfr_layout = KIND_JFR_PERF,
};
