/*
 * hprof_save.c - see hprof_save.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_save.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "base/err.h"
#include "base/sink.h"
#include "format/format.h"
#include "format/hprof_file.h"
#include "format/hprof_out.h"
#include "format/writer_monitors.h"
#include "profile/profile.h"
#include "profile/sums.h"
#include "safe/clock.h"

enum { AREA_COUNTS = 38 }; /* the prologue of a text file has lines for so many quality counts */

/* The rows of one table. */
struct rows {
    struct event *list;
    uint32_t count, room;
    uint64_t total[KIND_VALUES];
};

struct hprof_save {
    const struct writer *form;
    struct rows of[KIND_COUNT];
};

int hprof_save_begin(struct writer_out *o, const struct writer *form)
{
    struct hprof_save *save = calloc(1, sizeof(*save));
    o->state = save;
    if (!save)
        return -ENOMEM;
    save->form = form;
    return 0;
}

int hprof_save_event(struct writer_out *o, const struct event *event)
{
    struct hprof_save *save = o->state;
    struct rows *rows = &save->of[event->kind];
    if (!(save->form->kinds >> event->kind & 1))
        return 0;
    if (rows->count == rows->room) {
        uint32_t room = rows->room ? rows->room * 2 : 256;
        struct event *list = room > rows->room && room <= UINT32_MAX / 2
                                 ? realloc(rows->list, room * sizeof(*list))
                                 : NULL;
        if (!list)
            return -ENOMEM;
        rows->list = list;
        rows->room = room;
    }
    for (int i = 0; i < KIND_VALUES; i++)
        if (__builtin_add_overflow(rows->total[i], event->value[i], &rows->total[i]))
            return E_LIMIT;
    rows->list[rows->count++] = *event;
    return 0;
}

static bool has_only(const struct hprof_save *save, enum kind_id kind)
{
    for (int i = 0; i < KIND_COUNT; i++)
        if ((save->of[i].count > 0) != (i == (int)kind))
            return false;
    return true;
}

/* The settings with which an agent would have written these rows. */
static struct hprof_out_config config_of(const struct writer_out *o, const struct hprof_save *save)
{
    struct hprof_out_config config = {
        .print_lines = 1,
        .cpu_samples = save->of[kind_of_text(KIND_TEXT_SAMPLES)].count > 0,
        .heap = save->of[kind_of_text(KIND_TEXT_SITES)].count > 0,
        .is_old = has_only(save, kind_of_text(KIND_TEXT_PAIRS)),
        .is_stream = sink_rewrite(o->sink, 0, "", 0) != 0,
    };
    uint32_t counts;
    config.created_ms = (int64_t)(clock_ns(CLOCK_REALTIME) / NS_PER_MS);
    for (trace_id id = 1; id <= profile_trace_count(o->profile); id++) {
        const struct profile_trace *t = profile_trace_at(o->profile, id);
        config.depth = t->depth > config.depth ? t->depth : config.depth;
        config.print_threads |= t->thread != 0;
    }
    profile_quality(o->profile, &counts);
    config.many_counts = counts > AREA_COUNTS;
    return config;
}

static void put_threads(struct writer_out *out)
{
    struct profile *p = out->profile;
    for (thread_id id = 1; id <= profile_thread_count(p); id++)
        writer_thread(out, id, true);
    for (thread_id id = 1; id <= profile_thread_count(p); id++)
        if (profile_thread_at(p, id)->ended)
            writer_thread(out, id, false);
}

static bool has_table(const struct writer_out *out, const struct rows *rows, enum kind_id kind)
{
    bool may_be_empty = kind_all[kind]->text.may_be_empty;
    return out->writer->kinds >> kind & 1 &&
           (rows->count > 0 || (may_be_empty && profile_sums(out->profile, kind)->is_measured));
}

/* The total of a table. If the file that was read states a total, that total is used: it also
 * counts rows that the file left out. */
static uint64_t whole_of(struct profile *p, enum kind_id kind, const struct rows *rows)
{
    uint64_t said = profile_sums(p, kind)->said;
    return said ? said : rows->total[0];
}

static int put_sites(struct writer_out *out, const struct rows *rows)
{
    struct writer_sites t = {.count = rows->count,
                             .rows = calloc(rows->count + (size_t)1, sizeof(*t.rows))};
    if (!t.rows)
        return -ENOMEM;
    for (uint32_t i = 0; i < rows->count; i++)
        t.rows[i].site = rows->list[i];
    for (int i = 0; i < KIND_VALUES; i++)
        t.total[i] = rows->total[i];
    if (t.total[WRITER_SITES_LIVE_BYTES] == 0)
        t.flags |= WRITER_SITES_BY_ALLOCATED;
    int error = writer_sites(out, &t);
    free(t.rows);
    return error;
}

static int put_table(struct writer_out *out, struct hprof_save *save, enum kind_id kind)
{
    struct rows *rows = &save->of[kind];
    struct writer_table t = {.kind = kind,
                             .rows = rows->list,
                             .count = rows->count,
                             .is_rounded = hprof_file_of(out->profile)->rounded_kinds >> kind & 1,
                             .total = whole_of(out->profile, kind, rows)};
    if (kind_all[kind]->text.layout == KIND_TEXT_SITES)
        return rows->count > 0 ? put_sites(out, rows) : 0;
    if (has_table(out, rows, kind))
        return writer_table(out, &t);
    return 0;
}

/* ---- the threads and monitors that a reader found, as a MONITOR DUMP */

/* A dump, and the memory of its lists. */
struct dump {
    struct writer_monitors_thread *threads;
    struct writer_monitors_monitor *monitors;
    /* Serial numbers of threads: for each monitor those that wait to enter, then those that wait to
     * be notified. */
    uint32_t *waiters;
};

static uint32_t serial_of(struct profile *p, thread_id thread)
{
    return thread ? profile_thread_at(p, thread)->serial : HPROF_SERIAL_THREAD_UNKNOWN;
}

static void fill_threads(struct profile *p, const struct hprof_file *f, struct dump *d)
{
    for (uint32_t i = 0; i < f->threads.count; i++) {
        const struct hprof_file_thread *from = table_at(&f->threads, i + 1);
        struct writer_monitors_thread *to = &d->threads[i];
        to->serial = serial_of(p, from->thread);
        to->trace = from->trace;
        snprintf(to->status, sizeof(to->status), "%s",
                 from->status ? profile_string_at(p, from->status)->bytes : "UN");
    }
}

/* Takes the waiters of one kind from rows [first, end) of the list. Returns how many. */
static uint32_t take_waiters(struct profile *p, const struct hprof_file *f, uint32_t first,
                             uint32_t end, bool is_entering, uint32_t *to)
{
    uint32_t count = 0;
    for (uint32_t i = first; i < end; i++) {
        const struct hprof_file_waiter *w = table_at(&f->waits, i);
        if (w->is_entering == is_entering)
            to[count++] = serial_of(p, w->thread);
    }
    return count;
}

static void fill_monitors(struct profile *p, const struct hprof_file *f, struct dump *d)
{
    uint32_t *to = d->waiters;
    for (uint32_t i = 0, first = 1, end; i < f->monitors.count; i++, first = end) {
        const struct hprof_file_monitor *from = table_at(&f->monitors, i + 1);
        struct writer_monitors_monitor *m = &d->monitors[i];
        for (end = first;
             end <= f->waits.count &&
             ((const struct hprof_file_waiter *)table_at(&f->waits, end))->monitor <= i + 1;)
            end++;
        *m = (struct writer_monitors_monitor){.signature = from->signature,
                                              .owner = from->owner ? serial_of(p, from->owner) : 0,
                                              .entry_count = from->entry_count,
                                              .is_raw = from->is_raw,
                                              .has_unknown_owner = from->has_unknown_owner};
        m->entering = to;
        m->entering_count = take_waiters(p, f, first, end, 1, to);
        to += m->entering_count;
        m->waiting = to;
        m->waiting_count = take_waiters(p, f, first, end, 0, to);
        to += m->waiting_count;
    }
}

/* Writes nothing if the file that was read had no dump. Errors: 0, -ENOMEM. */
static int put_monitors(struct writer_out *out)
{
    const struct hprof_file *f = hprof_file_of(out->profile);
    struct dump d = {
        .threads = calloc(f->threads.count + (size_t)1, sizeof(*d.threads)),
        .monitors = calloc(f->monitors.count + (size_t)1, sizeof(*d.monitors)),
        .waiters = calloc(f->waits.count + (size_t)1, sizeof(*d.waiters)),
    };
    const struct writer_monitors dump = {d.threads, d.monitors, f->threads.count,
                                         f->monitors.count};
    int error = d.threads && d.monitors && d.waiters ? 0 : -ENOMEM;
    if (!error && f->monitor_dumps > 0) {
        fill_threads(out->profile, f, &d);
        fill_monitors(out->profile, f, &d);
        writer_monitors(out, &dump);
    }
    free(d.threads);
    free(d.monitors);
    free(d.waiters);
    return error;
}

/* ---- the file */

/* The tables of monitors come last, as in a dump of the agent. */
static int put_tables(struct writer_out *out, struct hprof_save *save)
{
    enum kind_id enters = kind_of_text(KIND_TEXT_ENTERS);
    int error = 0;
    for (int kind = 0; kind < KIND_COUNT && !error; kind++)
        if (kind != (int)enters)
            error = put_table(out, save, (enum kind_id)kind);
    if (!error && out->writer->kinds >> enters & 1)
        error = put_monitors(out);
    return error ? error : put_table(out, save, enters);
}

int hprof_save_end(struct writer_out *o)
{
    struct hprof_save *save = o->state;
    struct writer_out out;
    int error;
    if (!save)
        return 0;
    out = (struct writer_out){.writer = save->form, .sink = o->sink, .profile = o->profile};
    error = hprof_out_new(&out);
    if (!error) {
        const struct hprof_out_config config = config_of(o, save);
        hprof_out_set_up(&out, &config);
        writer_begin(&out);
        put_threads(&out);
        error = put_tables(&out, save);
        writer_quality(&out);
        writer_end(&out);
    }
    for (int kind = 0; kind < KIND_COUNT; kind++)
        free(save->of[kind].list);
    free(save);
    o->state = NULL;
    return error;
}
