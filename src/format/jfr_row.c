/*
 * jfr_row.c - see jfr_row.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/jfr_row.h"
#include <string.h>

static const struct jfr_row rows[] = {
    {.event = "jdk.ExecutionSample",
     .rival = "jdk.CPUTimeSample",
     .kind = EVENT_SAMPLE,
     .stack = "stackTrace",
     .has_state = true,
     .may_be_wall = true},
    {.event = "jdk.NativeMethodSample",
     .kind = EVENT_SAMPLE,
     .stack = "stackTrace",
     .state = "native",
     .is_waiting = true},
    {.event = "jdk.CPUTimeSample",
     .kind = EVENT_SAMPLE,
     .stack = "stackTrace",
     .state = "runnable",
     .has_period = true},
    {.event = "profiler.WallClockSample",
     .kind = EVENT_WALL,
     .stack = "stackTrace",
     .values = {"samples"},
     .has_state = true},
    {.event = "jdk.ObjectAllocationSample",
     .kind = EVENT_SITE,
     .stack = "stackTrace",
     .klass = "objectClass",
     .values = {"weight"}},
    {.event = "jdk.ObjectAllocationInNewTLAB",
     .rival = "jdk.ObjectAllocationSample",
     .kind = EVENT_SITE,
     .stack = "stackTrace",
     .klass = "objectClass",
     .values = {"tlabSize"}},
    {.event = "jdk.ObjectAllocationOutsideTLAB",
     .rival = "jdk.ObjectAllocationSample",
     .kind = EVENT_SITE,
     .stack = "stackTrace",
     .klass = "objectClass",
     .values = {"allocationSize"}},
    {.event = "jdk.OldObjectSample",
     .kind = EVENT_SITE,
     .stack = "stackTrace",
     .klass = "object.type",
     .values = {"objectSize"},
     .skipped = 2},
    {.event = "profiler.LiveObject",
     .kind = EVENT_SITE,
     .stack = "stackTrace",
     .klass = "objectClass",
     .values = {"allocationSize"},
     .skipped = 2},
    {.event = "jdk.JavaMonitorEnter",
     .kind = EVENT_ENTER,
     .stack = "stackTrace",
     .text = "monitorClass",
     .values = {"duration"},
     .units = {JFR_ROW_NS}},
    {.event = "jdk.JavaMonitorWait",
     .kind = EVENT_AWAIT,
     .stack = "stackTrace",
     .klass = "monitorClass",
     .values = {"duration"},
     .units = {JFR_ROW_NS}},
    {.event = "jdk.ThreadPark",
     .kind = EVENT_AWAIT,
     .stack = "stackTrace",
     .klass = "parkedClass",
     .values = {"duration"},
     .units = {JFR_ROW_NS},
     .may_be_lock = true},
    {.event = "jdk.JavaExceptionThrow",
     .kind = EVENT_EXCEPTION,
     .stack = "stackTrace",
     .klass = "thrownClass",
     .has_errors = true},
    {.event = "jdk.JavaErrorThrow",
     .rival = "jdk.JavaExceptionThrow",
     .kind = EVENT_EXCEPTION,
     .stack = "stackTrace",
     .klass = "thrownClass"},
    {.event = "jdk.GarbageCollection",
     .kind = EVENT_GC,
     .text = "cause",
     .values = {"sumOfPauses"},
     .units = {JFR_ROW_NS}},
    {.event = "jdk.GCHeapSummary", .kind = EVENT_GC, .is_heap = true},
};

const struct jfr_row *jfr_row_all(size_t *ret_count)
{
    *ret_count = sizeof(rows) / sizeof(rows[0]);
    return rows;
}

const struct jfr_row *jfr_row_named(const char *event)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].event, event) == 0)
            return &rows[i];
    return NULL;
}
