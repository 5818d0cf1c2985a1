/*
 * kind_code_cache.c - how full the code heaps were (event=codecache). The text is the VM's name of
 * the heap.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

static const struct kind_jfr jfr[] = {
    {.event = "jdk.CodeCacheStatistics", .text = "codeBlobType", .is_code_heap = true},
    {.event = "jdk.CodeCacheFull", .text = "codeBlobType", .values = {NULL}, .skipped = 3},
    {0},
};

const struct kind kind_code_cache = {
    .id = KIND_CODE_CACHE,
    .name = "CODE_CACHE",
    .word = "codecache",
    .title = "levels of the code cache",
    .values =
        {
            {"LOOKS", "looks", KIND_UNIT_COUNT, .sample_type = "code_heap_looks"},
            {"USED", "used", KIND_UNIT_LEVEL},
            {"RESERVED", "reserved", KIND_UNIT_LEVEL},
            {"FULL", "full", KIND_UNIT_COUNT, .sample_type = "code_heap_full"},
        },
    .series = {{"codecache", KIND_CODE_CACHE, 0, 27}},
    .jfr = jfr,
    .jfr_layout = KIND_JFR_CODE_HEAP,
};
