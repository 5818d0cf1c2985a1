/*
 * heap_counters.c - see heap_counters.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/heap_counters.h"
#include <math.h>
#include <string.h>
#include "jvm/stat_value.h"
#include "perfdata/perfdata.h"
#include "safe/release.h"

static double value(const struct perfdata *p, const char *text)
{
    double number = stat_value_number(p, text, true);
    return isnan(number) ? 0 : number;
}

double heap_counters_stopped_s(const struct perfdata *p)
{
    bool is_split = stat_value_release(p) >= RELEASE_SAFEPOINT_TIME_SPLIT;
    return stat_value_number(p,
                             is_split ? "(sun.rt.safepointTime+sun.rt.safepointSyncTime)/HZ"
                                      : "sun.rt.safepointTime/HZ",
                             false);
}

static bool is_none(const char *cause, size_t len)
{
    static const char none[] = "No GC";
    return !cause || (len == sizeof(none) - 1 && memcmp(cause, none, len) == 0);
}

const char *heap_counters_cause(const struct perfdata *p, size_t *ret_len)
{
    size_t len = 0;
    const char *now = perfdata_text_of(p, "sun.gc.cause", &len);
    *ret_len = len;
    return is_none(now, len) ? perfdata_text_of(p, "sun.gc.lastCause", ret_len) : now;
}

void heap_counters_read(const struct perfdata *p, struct heap_counters *ret)
{
    double stopped_s = heap_counters_stopped_s(p);
    *ret = (struct heap_counters){
        .used_bytes = value(p, "EDEN.used+S0.used+S1.used+OLD.used"),
        .size_bytes = value(p, "GEN0.capacity+GEN1.capacity"),
        /* The JDK that removed this counter also removed the VM's regular sampling of the heap. */
        .is_old = !perfdata_find(p, "sun.os.hrt.ticks"),
        .pauses = value(p, "C0.invocations+C1.invocations+C2.invocations"),
        .pause_s = value(p, "(C0.time+C1.time+C2.time)/HZ"),
        .safepoints = value(p, "sun.rt.safepoints"),
        .safepoint_s = isnan(stopped_s) ? 0 : stopped_s,
    };
}
