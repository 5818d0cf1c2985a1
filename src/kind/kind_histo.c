/*
 * kind_histo.c - all objects in the heap by class, reachable or not (heap=histo).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

const struct kind kind_histo = {
    .id = KIND_HISTO,
    .name = "HISTO",
    .word = "histo",
    .title = "the heap by class",
    .values =
        {
            {"BYTES", "bytes", KIND_UNIT_BYTES, .sample_type = "heap_space"},
            {"OBJECTS", "objects", KIND_UNIT_COUNT, .sample_type = "heap_objects"},
        },
    .series = {{"histo", KIND_HISTO, 0, 6}},
    .text = {KIND_TEXT_CLASSES, "HISTOGRAM"},
    .report = {KIND_REPORT_CLASSES, "all objects", .of = "the heap by class"},
    .is_of_class = true,
};
