/*
 * stat_view.c - see stat_view.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/stat_view.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "jvm/asking.h"
#include "jvm/heap_counters.h"
#include "jvm/stat_value.h"
#include "perfdata/perfdata.h"

enum { MB = 1 << 20 };

void stat_view_print_head(void)
{
    puts("   UPTIME     HEAP     SIZE     META  YOUNG    TIME FULL    TIME CONC    TIME THREADS "
         "CLASSES   STOP  CAUSE");
}

static double value(const struct perfdata *p, const char *text)
{
    return stat_value_number(p, text, false);
}

static void put_mb(double bytes, bool is_old)
{
    if (isnan(bytes))
        printf(" %8s", "-");
    else
        printf(" %6.1fM%s", bytes / MB, is_old ? "*" : " ");
}

static void put_count(double count, int width)
{
    if (isnan(count))
        printf(" %*s", width, "-");
    else
        printf(" %*.0f", width, count);
}

static void put_seconds(double s, int width)
{
    if (isnan(s))
        printf(" %*s", width, "-");
    else
        printf(" %*.3f", width, s);
}

static bool is_shenandoah(const struct perfdata *p)
{
    size_t len;
    const char *name = perfdata_text_of(p, "sun.gc.policy.name", &len);
    return name && len == strlen("Shenandoah") && memcmp(name, "Shenandoah", len) == 0;
}

void stat_view_print_row(const struct perfdata *p, double uptime_s, double stop_s)
{
    size_t len;
    struct heap_counters heap;
    bool has_pauses = is_shenandoah(p);
    const char *cause = perfdata_text_of(p, "sun.gc.lastCause", &len);
    heap_counters_read(p, &heap);
    if (uptime_s < 0)
        printf("%9s", "-");
    else
        printf("%9.1f", uptime_s);
    put_mb(heap.used_bytes, heap.is_old);
    put_mb(heap.size_bytes, false);
    put_mb(value(p, "MS.used"), true);
    put_count(value(p, "C0.invocations"), 6);
    put_seconds(value(p, "C0.time/HZ"), 7);
    put_count(has_pauses ? NAN : value(p, "C1.invocations"), 4);
    put_seconds(has_pauses ? NAN : value(p, "C1.time/HZ"), 7);
    put_count(value(p, has_pauses ? "C1.invocations" : "C2.invocations"), 4);
    put_seconds(value(p, has_pauses ? "C1.time/HZ" : "C2.time/HZ"), 7);
    put_count(value(p, "java.threads.live"), 7);
    put_count(value(p, "java.cls.loadedClasses+java.cls.sharedLoadedClasses-"
                       "java.cls.unloadedClasses-java.cls.sharedUnloadedClasses"),
              7);
    put_seconds(heap_counters_stopped_s(p) + stop_s, 6);
    fputs(stop_s > 0 ? "! " : "  ", stdout);
    if (cause)
        asking_put(cause, len);
    putchar('\n');
}
