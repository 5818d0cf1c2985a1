/*
 * firefox_threads.c - see firefox_threads.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/firefox_threads.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/sink.h"
#include "format/json_out.h"
#include "profile/process_set.h"
#include "profile/profile.h"

static int by_total(const void *left, const void *right)
{
    const struct firefox_thread *x = left, *y = right;
    if (x->total != y->total)
        return x->total < y->total ? 1 : -1;
    if (x->is_rest != y->is_rest)
        return x->is_rest ? 1 : -1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* The process with the largest total comes first; within a process, the thread with the largest. */
static int by_process(const void *left, const void *right)
{
    const struct firefox_thread *x = left, *y = right;
    if (x->process_total != y->process_total)
        return x->process_total < y->process_total ? 1 : -1;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return by_total(left, right);
}

int firefox_threads_order(struct profile *p, struct firefox_thread *threads, uint32_t count,
                          uint32_t shown)
{
    uint64_t *totals = calloc(process_set_count(profile_processes(p)) + (size_t)1, sizeof(*totals));
    if (!totals)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        threads[i].is_rest = !threads[i].id || profile_thread_is_rest(p, threads[i].id);
    qsort(threads, count, sizeof(*threads), by_total);
    for (uint32_t i = 0; i < count; i++) {
        threads[i].process = profile_process_of(p, threads[i].id);
        threads[i].is_visible = i < shown;
        totals[threads[i].process] += threads[i].total;
    }
    for (uint32_t i = 0; i < count; i++)
        threads[i].process_total = totals[threads[i].process];
    qsort(threads, count, sizeof(*threads), by_process);
    for (uint32_t i = 0; i < count; i++) {
        threads[i].is_main = i == 0 || threads[i].process != threads[i - 1].process;
        threads[i].is_visible |= threads[i].is_main || threads[i].is_rest;
    }
    free(totals);
    return 0;
}

/* The profiler tells processes apart by their pids. If a process in front has the same pid, or if
 * the pid is unknown, a number is added: "4711.1". */
void firefox_threads_put_pid(struct sink *s, struct profile *p, process_id id)
{
    const struct process_set *all = profile_processes(p);
    uint32_t pid = id ? process_set_at(all, id)->pid : 0;
    uint32_t before = id ? process_set_before(all, id) : 0;
    if (before || (id && !pid))
        sink_printf(s, "\"%u.%u\"", pid, before);
    else
        sink_printf(s, "\"%u\"", id ? pid : 1);
}

string_id firefox_threads_program(struct profile *p, process_id id)
{
    string_id name = id ? process_set_at(profile_processes(p), id)->name : 0;
    return name ? name : profile_program(p);
}

void firefox_threads_put_head(struct sink *s, struct profile *p,
                              const struct firefox_thread *thread)
{
    const struct profile_thread *row = thread->is_rest ? NULL : profile_thread_at(p, thread->id);
    const char *name = row && row->name ? profile_string_at(p, row->name)->bytes : NULL;
    sink_text(s, "{\"processType\":\"default\",\"processName\":");
    json_out_string(s, p, firefox_threads_program(p, thread->process));
    sink_text(s, ",\"processStartupTime\":0,\"processShutdownTime\":null,\"registerTime\":0,"
                 "\"unregisterTime\":null,\"pausedRanges\":[],\"showMarkersInTimeline\":true,"
                 "\"name\":");
    name = name ? name : row ? "thread" : "all threads";
    json_out_text(s, name, strlen(name));
    sink_printf(s, ",\"isMainThread\":%s,\"pid\":", thread->is_main ? "true" : "false");
    firefox_threads_put_pid(s, p, thread->process);
    sink_printf(s, ",\"tid\":%u", row ? row->serial : 0);
}

void firefox_threads_put_shown(struct sink *s, const struct firefox_thread *threads, uint32_t count)
{
    const char *before = "";
    sink_text(s, ",\n\"initialVisibleThreads\":[");
    for (uint32_t i = 0; i < count; i++) {
        if (!threads[i].is_visible)
            continue;
        sink_printf(s, "%s%u", before, i);
        before = ",";
    }
    sink_printf(s, "],\"initialSelectedThreads\":[%s]", count ? "0" : "");
}
