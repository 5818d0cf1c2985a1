/*
 * kind_site.c - allocation sites: the objects of one class that one stack allocated, and how many
 * of them live (heap=sites, event=alloc).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

static const struct kind_jfr jfr[] = {
    {.event = "jdk.ObjectAllocationSample",
     .stack = "stackTrace",
     .klass = "objectClass",
     .values = {"weight"}},
    {.event = "jdk.ObjectAllocationInNewTLAB",
     .rival = "jdk.ObjectAllocationSample",
     .stack = "stackTrace",
     .klass = "objectClass",
     .values = {"tlabSize"}},
    {.event = "jdk.ObjectAllocationOutsideTLAB",
     .rival = "jdk.ObjectAllocationSample",
     .stack = "stackTrace",
     .klass = "objectClass",
     .values = {"allocationSize"}},
    {.event = "jdk.OldObjectSample",
     .stack = "stackTrace",
     .klass = "object.type",
     .values = {"objectSize"},
     .skipped = 2},
    {.event = "profiler.LiveObject",
     .stack = "stackTrace",
     .klass = "objectClass",
     .values = {"allocationSize"},
     .skipped = 2},
    {0},
};

const struct kind kind_site = {
    .id = KIND_SITE,
    .name = "SITE",
    .word = "sites",
    .title = "allocation sites",
    .values =
        {
            {"BYTES", "bytes", KIND_UNIT_BYTES, .sample_type = "alloc_space"},
            {"OBJECTS", "objects", KIND_UNIT_COUNT, .sample_type = "alloc_objects"},
            {"LIVE_BYTES", "live bytes", KIND_UNIT_BYTES, .sample_type = "inuse_space"},
            {"LIVE_OBJECTS", "live objects", KIND_UNIT_COUNT, .sample_type = "inuse_objects"},
        },
    .series = {{"alloc", KIND_SITE, 0, 4}, {"live", KIND_SITE, 2, 5}},
    .jfr = jfr,
    .jfr_layout = KIND_JFR_ALLOCATION,
    .passed = "jfr_passed_allocations",
    .text = {KIND_TEXT_SITES, "SITES"},
    .report = {KIND_REPORT_SITES},
    .is_of_class = true,
    .inside = KIND_INSIDE_SUM,
};
