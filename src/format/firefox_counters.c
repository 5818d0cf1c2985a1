/*
 * firefox_counters.c - see firefox_counters.h.
 *
 * A counter says itself how the profiler draws it. The values of a "line-accumulated" counter are
 * the changes of a level; the profiler adds them up. Source: Firefox Profiler,
 * src/types/profile.ts, version 70 of the processed profile.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/firefox_counters.h"
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "base/sink.h"
#include "format/firefox_marker.h"
#include "format/firefox_threads.h"
#include "format/json_out.h"
#include "profile/found.h"
#include "profile/levels.h"
#include "profile/profile.h"

enum { MILLION = 1000000 };

static const struct {
    const char *name, *category, *description, *display;
} counters[LEVEL_KINDS] = {
    [LEVEL_HEAP] = {"Java heap", "Memory", "bytes of the Java heap in use",
                    "\"graphType\":\"line-accumulated\",\"unit\":\"bytes\",\"color\":\"orange\","
                    "\"markerSchemaLocation\":null,\"sortWeight\":20,\"label\":\"Java heap\","
                    "\"tooltipRows\":[{\"type\":\"value\",\"source\":\"accumulated\",\"format\":"
                    "{\"unit\":\"bytes\"},\"label\":\"Java heap in use\"}]"},
    [LEVEL_RESIDENT] = {"Resident memory", "Memory", "bytes of memory that the process has",
                        "\"graphType\":\"line-accumulated\",\"unit\":\"bytes\",\"color\":"
                        "\"purple\",\"markerSchemaLocation\":null,\"sortWeight\":21,\"label\":"
                        "\"Resident memory\",\"tooltipRows\":[{\"type\":\"value\",\"source\":"
                        "\"accumulated\",\"format\":{\"unit\":\"bytes\"},\"label\":"
                        "\"resident memory\"}]"},
    [LEVEL_CPU] = {"CPU load", "CPU", "the process's share of all processors",
                   "\"graphType\":\"line-rate\",\"unit\":\"percent\",\"color\":\"grey\","
                   "\"markerSchemaLocation\":null,\"sortWeight\":40,\"label\":\"CPU load\","
                   "\"tooltipRows\":[{\"type\":\"value\",\"source\":\"count\",\"format\":{\"unit\":"
                   "\"percent\"},\"label\":\"of all processors\"}]"},
};

void firefox_counters_put_facts(struct sink *s, struct profile *p)
{
    const struct found *found = profile_found(p);
    if (found->arguments) {
        sink_text(s, ",\"arguments\":");
        json_out_string(s, p, found->arguments);
    }
    if (found->processor) {
        sink_text(s, ",\"CPUName\":");
        json_out_string(s, p, found->processor);
    }
    if (found->processors)
        sink_printf(s, ",\"logicalCPUs\":%u", found->processors);
    if (found->cores)
        sink_printf(s, ",\"physicalCPUs\":%u", found->cores);
    if (found->system) {
        bool is_linux = strncmp(profile_string_at(p, found->system)->bytes, "Linux", 5) == 0;
        sink_text(s, is_linux ? ",\"platform\":\"Linux\",\"oscpu\":" : ",\"oscpu\":");
        json_out_string(s, p, found->system);
    }
}

void firefox_counters_put_vm(struct sink *s, struct profile *p)
{
    const struct found *found = profile_found(p);
    if (!found->vm)
        return;
    sink_text(s, ",{\"label\":\"JVM\",\"entries\":[{\"label\":\"is\",\"format\":\"string\","
                 "\"value\":");
    json_out_string(s, p, found->vm);
    sink_text(s, "}]}");
}

static int compare(const void *left, const void *right)
{
    const struct level *l = left, *r = right;
    if (l->process != r->process)
        return l->process < r->process ? -1 : 1;
    if (l->kind != r->kind)
        return l->kind < r->kind ? -1 : 1;
    return l->time_ns < r->time_ns ? -1 : l->time_ns > r->time_ns;
}

static void put_times(struct sink *s, const struct level *levels, size_t count, uint64_t first_ns)
{
    for (size_t i = 0; i < count; i++) {
        sink_text(s, i ? "," : "");
        firefox_marker_put_ms(s, levels[i].time_ns - first_ns);
    }
}

static void put_counts(struct sink *s, const struct level *levels, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value = levels[i].value, before = i ? levels[i - 1].value : 0;
        if (levels[i].kind == LEVEL_CPU)
            sink_printf(s, "%s%" PRIu64 ".%06" PRIu64, i ? "," : "", value / MILLION,
                        value % MILLION);
        else
            sink_printf(s, "%s%" PRId64, i ? "," : "", (int64_t)(value - before));
    }
}

static void put_counter(struct sink *s, struct profile *p, const struct level *levels, size_t count,
                        uint32_t main_thread, uint64_t first_ns)
{
    enum level_kind kind = levels[0].kind;
    sink_printf(s, "\n{\"name\":\"%s\",\"category\":\"%s\",\"description\":\"%s\",\"pid\":",
                counters[kind].name, counters[kind].category, counters[kind].description);
    firefox_threads_put_pid(s, p, levels[0].process);
    sink_printf(s, ",\"mainThreadIndex\":%u,\n\"samples\":{\"time\":[", main_thread);
    put_times(s, levels, count, first_ns);
    sink_text(s, "],\"count\":[");
    put_counts(s, levels, count);
    sink_printf(s, "],\"length\":%zu},\n\"display\":{%s}}", count, counters[kind].display);
}

/* The number of the process's main thread in the file; -1: the process has no thread. */
static int64_t main_thread_of(const struct firefox_thread *threads, uint32_t count,
                              process_id process)
{
    for (uint32_t i = 0; i < count; i++)
        if (threads[i].process == process && threads[i].is_main)
            return i;
    return -1;
}

int firefox_counters_put(struct sink *s, struct profile *p, const struct firefox_thread *threads,
                         uint32_t count, uint64_t first_ns)
{
    const struct levels *all = profile_levels(p);
    struct level *levels = calloc(levels_count(all) + (size_t)1, sizeof(*levels));
    size_t kept = 0;
    bool is_any = false;
    if (!levels)
        return -ENOMEM;
    for (uint32_t i = 1; i <= levels_count(all); i++)
        if (first_ns && levels_at(all, i)->time_ns >= first_ns)
            levels[kept++] = *levels_at(all, i);
    qsort(levels, kept, sizeof(*levels), compare);
    sink_text(s, "\"counters\":[");
    for (size_t at = 0, end; at < kept; at = end) {
        int64_t thread = main_thread_of(threads, count, levels[at].process);
        for (end = at + 1; end < kept && levels[end].process == levels[at].process &&
                           levels[end].kind == levels[at].kind;
             end++)
            ;
        if (thread < 0)
            continue;
        sink_text(s, is_any ? "," : "");
        put_counter(s, p, levels + at, end - at, (uint32_t)thread, first_ns);
        is_any = true;
    }
    sink_text(s, "],\n");
    free(levels);
    return 0;
}
