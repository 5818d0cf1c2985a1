/*
 * kind_level.c - memory and threads at one moment. The agent looks each second; the threads are
 * those that the VM counts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

const struct kind kind_level = {
    .id = KIND_LEVEL,
    .name = "LEVEL",
    .word = "levels",
    .title = "memory and threads",
    .values =
        {
            {"LOOKS", "looks", KIND_UNIT_COUNT, .sample_type = "looks"},
            {"HEAP_USED", "heap used", KIND_UNIT_LEVEL},
            {"RESIDENT", "resident", KIND_UNIT_LEVEL},
            {"THREADS", "threads", KIND_UNIT_COUNT, .sample_type = "threads"},
        },
    .jfr_layout = KIND_JFR_LEVELS,
};
