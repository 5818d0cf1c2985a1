/*
 * kind_vthread.c - virtual threads that started and ended, and times that one was pinned
 * (event=vthread). The text of a pinned time is the reason.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

static const struct kind_jfr jfr[] = {
    {.event = "jdk.VirtualThreadPinned",
     .stack = "stackTrace",
     .text = "pinnedReason",
     .values = {"duration", NULL},
     .units = {KIND_JFR_NS}},
    {.event = "jdk.VirtualThreadStart", .values = {NULL, "none"}, .skipped = 2},
    {.event = "jdk.VirtualThreadEnd", .values = {NULL}, .skipped = 3},
    {0},
};

const struct kind kind_vthread = {
    .id = KIND_VTHREAD,
    .name = "VTHREAD",
    .word = "vthread",
    .title = "virtual threads",
    .values =
        {
            {"PINNED_TIME", "pinned time", KIND_UNIT_NS, .sample_type = "pinned_time"},
            {"PINNED", "pinned", KIND_UNIT_COUNT, .sample_type = "pinned_virtual_threads"},
            {"STARTED", "started", KIND_UNIT_COUNT, .sample_type = "virtual_threads_started"},
            {"ENDED", "ended", KIND_UNIT_COUNT, .sample_type = "virtual_threads_ended"},
        },
    .series = {{"vthread", KIND_VTHREAD, 0, 28}},
    .jfr = jfr,
    .jfr_layout = KIND_JFR_VIRTUAL,
};
