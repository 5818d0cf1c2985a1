/*
 * heap_pause.c - see heap_pause.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/heap_pause.h"
#include <stdio.h>
#include "command/cmd.h"
#include "jvm/heap_counters.h"
#include "jvm/max_stop.h"
#include "command/say.h"
#include "jvm/stat_table.h"
#include "safe/release.h"

/* Nanoseconds for each kilobyte (1000 bytes) of used heap. */
static const struct rate {
    uint32_t before, since; /* JDKs before RELEASE_DUMP_IS_QUICK, and JDKs since */
} rates[HEAP_PAUSE_WORKS] = {
    [HEAP_PAUSE_HISTO] = {500, 500},
    [HEAP_PAUSE_DUMP] = {4000, 2000},
    [HEAP_PAUSE_PACKED] = {10000, 10000},
    [HEAP_PAUSE_FORK] = {50, 50},
};

enum { COLLECTION_NS = 1000 }; /* nanoseconds for each kilobyte, added for a full collection */

static double used_bytes(const struct perfdata *p)
{
    struct heap_counters heap;
    heap_counters_read(p, &heap);
    return heap.used_bytes;
}

static uint64_t reckon_ns(const struct perfdata *p, double bytes, enum heap_pause_work work,
                          bool is_live)
{
    const struct rate *rate = &rates[work];
    uint32_t ns = stat_table_release(p) < RELEASE_DUMP_IS_QUICK ? rate->before : rate->since;
    if (is_live && work != HEAP_PAUSE_FORK)
        ns += COLLECTION_NS;
    return (uint64_t)(bytes / 1000 * ns);
}

int heap_pause_check(const struct perfdata *p, const char *who, enum heap_pause_work work,
                     bool is_live, uint64_t most_ns, const char *instead)
{
    double bytes = used_bytes(p); /* read once, because the values change while the JVM runs */
    uint64_t expected_ns = reckon_ns(p, bytes, work, is_live);
    char expected[32], what[64];
    if (most_ns == 0 || expected_ns <= most_ns) {
        snprintf(what, sizeof(what), "%.1f GB of its heap are in use", bytes / 1e9);
        max_stop_say_before(who, expected_ns, most_ns, what);
        return CMD_OK;
    }
    snprintf(expected, sizeof(expected), "%s", max_stop_text(expected_ns));
    say("%s: it would stand still for about %s, %.1f GB of its heap being in use; the bound is %s: "
        "use%s --max-stop none",
        who, expected, bytes / 1e9, max_stop_text(most_ns), instead);
    return CMD_FAILED;
}
