/*
 * kind_map.c - native memory: ranges of pages that mmap() and its like have mapped, and those that
 * are mapped still (event=nativemem).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

static const struct kind_jfr jfr[] = {
    {.event = "hprof.Mmap", .stack = "stackTrace", .values = {"size"}},
    {.event = "hprof.StillMapped", .stack = "stackTrace", .values = {"size"}, .skipped = 2},
    {0},
};

const struct kind kind_map = {
    .id = KIND_MAP,
    .name = "MAP",
    .word = "mmap",
    .title = "mapped memory",
    .values =
        {
            {"BYTES", "mapped bytes", KIND_UNIT_BYTES, .sample_type = "mmap_space"},
            {"MAPPINGS", "mappings", KIND_UNIT_COUNT, .sample_type = "mmap_mappings"},
            {"HELD_BYTES", "still mapped bytes", KIND_UNIT_BYTES, .sample_type = "mmap_held_space"},
            {"HELD_MAPPINGS", "still mapped", KIND_UNIT_COUNT, .sample_type = "mmap_held_mappings"},
        },
    .series = {{"mmap", KIND_MAP, 0, 29}, {"mapped", KIND_MAP, 2, 30}},
    .jfr = jfr,
    .jfr_layout = KIND_JFR_MAPPINGS,
    .inside = KIND_INSIDE_SUM,
};
