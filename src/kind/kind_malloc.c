/*
 * kind_malloc.c - native memory: blocks that malloc() and its like have returned, and those of them
 * that were not freed (event=nativemem).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

static const struct kind_jfr jfr[] = {
    {.event = "profiler.Malloc",
     .stack = "stackTrace",
     .block = KIND_JFR_BLOCK_MADE,
     .values = {"size"}},
    {.event = "profiler.Free", .block = KIND_JFR_BLOCK_FREED},
    {0},
};

const struct kind kind_malloc = {
    .id = KIND_MALLOC,
    .name = "MALLOC",
    .word = "nativemem",
    .title = "native memory",
    .values =
        {
            {"BYTES", "bytes", KIND_UNIT_BYTES, .sample_type = "malloc_space"},
            {"BLOCKS", "blocks", KIND_UNIT_COUNT, .sample_type = "malloc_blocks"},
            {"HELD_BYTES", "unfreed bytes", KIND_UNIT_BYTES, .sample_type = "malloc_held_space"},
            {"HELD_BLOCKS", "unfreed blocks", KIND_UNIT_COUNT, .sample_type = "malloc_held_blocks"},
        },
    .series = {{"nativemem", KIND_MALLOC, 0, 16}, {"leak", KIND_MALLOC, 2, 17}},
    .jfr = jfr,
    .jfr_layout = KIND_JFR_BLOCKS,
    .inside = KIND_INSIDE_SUM,
};
