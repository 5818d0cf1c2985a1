/*
 * kind_gc.c - pauses of the program for garbage collections; the text names the cause.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

static const struct kind_jfr jfr[] = {
    {.event = "jdk.GarbageCollection",
     .text = "cause",
     .values = {"sumOfPauses"},
     .units = {KIND_JFR_NS},
     .has_cause = true},
    {.event = "jdk.GCHeapSummary", .is_heap = true},
    {0},
};

const struct kind kind_gc = {
    .id = KIND_GC,
    .name = "GC",
    .word = "gc",
    .title = "pauses of collections by cause",
    .values =
        {
            {"TIME", "time", KIND_UNIT_NS, .sample_type = "gc_time"},
            {"PAUSES", "pauses", KIND_UNIT_COUNT, .sample_type = "gc_pauses"},
            {"HEAP_BEFORE", "heap before", KIND_UNIT_LEVEL},
            {"HEAP_AFTER", "heap after", KIND_UNIT_LEVEL},
        },
    .series = {{"gc", KIND_GC, 0, 12}},
    .jfr = jfr,
    .jfr_layout = KIND_JFR_COLLECTION,
    .inside = KIND_INSIDE_PAUSE,
};
