/*
 * textin_monitor.c - see textin_monitor.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/textin_monitor.h"
#include <stdbool.h>
#include "base/err.h"
#include "format/hprof_file.h"
#include "format/textin_cpu.h"
#include "profile/sieve.h"

/* Reads "N, trace N, status: WORD". */
static void read_thread(struct textin *t, struct textin_span s)
{
    uint32_t serial, trace;
    if (!textin_u4(&s, &serial) || !textin_take(&s, ", trace ") || !textin_u4(&s, &trace) ||
        !textin_take(&s, ", status: ")) {
        textin_fail(t, E_FORMAT, "a THREAD of MONITOR DUMP that is not number, trace, status");
        return;
    }
    static const struct textin_span none = {0};
    sieve_need(t->sieve, trace);
    const struct hprof_file_thread row = {
        .thread = textin_thread(t, serial),
        .trace = textin_trace(t, trace, none),
        .status = textin_string(t, s),
    };
    hprof_file_add_thread(t->file, &row);
}

/* Takes " thread N" off `s`. The agent of JVMPI's time writes " <unknown thread>" for a thread of
 * whose start it was not told; then *ret_thread is 0. Returns false if neither is there. */
static bool take_thread(struct textin *t, struct textin_span *s, thread_id *ret_thread)
{
    uint32_t serial;
    *ret_thread = 0;
    if (textin_take(s, " <unknown thread>"))
        return true;
    if (!textin_take(s, " thread ") || !textin_u4(s, &serial))
        return false;
    *ret_thread = textin_thread(t, serial);
    return true;
}

/* Reads "\towner: thread N, entry count: N", the line behind the monitor's own line. If the line is
 * something else it is put back. */
static void read_owner(struct textin *t, struct hprof_file_monitor *row)
{
    struct textin_span s;
    if (!textin_next(t))
        return;
    s = t->line;
    if (!textin_take(&s, "\towner:")) {
        textin_put_back(t);
        return;
    }
    if (!take_thread(t, &s, &row->owner) || !textin_take(&s, ", entry count: ") ||
        !textin_u4(&s, &row->entry_count))
        textin_fail(t, E_FORMAT, "an owner that is not thread, entry count");
    row->has_unknown_owner = !row->owner;
}

/* Reads "SIGNATURE" or "SIGNATURE unowned". A raw monitor has its name in quotes and its address
 * instead of a signature. */
static void read_monitor(struct textin *t, struct textin_span s, bool is_raw)
{
    static const char unowned[] = " unowned";
    struct hprof_file_monitor row = {.is_raw = is_raw};
    const char *at = textin_find_last(s, unowned);
    if (at && at + sizeof(unowned) - 1 == s.end)
        s.end = at;
    else
        at = NULL;
    row.signature = textin_string(t, s);
    if (!at)
        read_owner(t, &row);
    hprof_file_add_monitor(t->file, &row);
}

/* Reads " thread N, thread N". */
static void read_waiters(struct textin *t, struct textin_span s, bool is_entering)
{
    thread_id thread;
    while (take_thread(t, &s, &thread)) {
        hprof_file_add_waiter(t->file, thread, is_entering);
        textin_take(&s, ",");
    }
    if (s.at < s.end)
        textin_fail(t, E_FORMAT, "a list of waiting threads that is not thread N, thread N");
}

void textin_monitor_dump(struct textin *t, struct textin_span s)
{
    const struct hprof_file *f = t->file;
    hprof_file_begin_dump(t->file);
    while (textin_next(t)) {
        s = t->line;
        if (textin_is(s, "MONITOR DUMP END"))
            return;
        if (textin_take(&s, "    THREAD "))
            read_thread(t, s);
        else if (textin_take(&s, "    MONITOR "))
            read_monitor(t, s, false);
        else if (textin_take(&s, "    RAW MONITOR "))
            read_monitor(t, s, true);
        else if (f->monitors.count > 0 && textin_take(&s, "\twaiting to enter:"))
            read_waiters(t, s, 1);
        else if (f->monitors.count > 0 && textin_take(&s, "\twaiting to be notified:"))
            read_waiters(t, s, 0);
        else
            textin_fail(t, E_FORMAT, "a line of MONITOR DUMP that is no thread and no monitor");
    }
    textin_fail(t, E_TRUNCATED, "the file ends within a MONITOR DUMP");
}

void textin_monitor_time(struct textin *t, enum kind_id kind, struct textin_span s)
{
    const struct textin_cpu_table table = {
        .kind = kind,
        .no_total = "a MONITOR TIME table without its total",
        .no_row = "a row of MONITOR TIME that is not rank, self, accum, count, trace",
        .cut = "the file ends within a MONITOR TIME table",
    };
    textin_cpu_table(t, s, &table);
}
