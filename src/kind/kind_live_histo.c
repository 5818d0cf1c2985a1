/*
 * kind_live_histo.c - the reachable objects in the heap by class (heap=histo, live).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

const struct kind kind_live_histo = {
    .id = KIND_LIVE_HISTO,
    .name = "LIVE_HISTO",
    .word = "live-histo",
    .title = "what can be reached, by class",
    .values =
        {
            {"LIVE_BYTES", "live bytes", KIND_UNIT_BYTES, .sample_type = "live_space"},
            {"LIVE_OBJECTS", "live objects", KIND_UNIT_COUNT, .sample_type = "live_objects"},
        },
    .series = {{"live-histo", KIND_LIVE_HISTO, 0, 7}},
    .text = {KIND_TEXT_CLASSES, "LIVE HISTOGRAM"},
    .report = {KIND_REPORT_CLASSES, "objects that could be reached",
               .of = "what could be reached in the heap, by class"},
    .is_of_class = true,
};
