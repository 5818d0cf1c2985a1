/*
 * hprof_save_monitors.c - see hprof_save_monitors.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_save_monitors.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include "format/hprof_file.h"
#include "format/writer.h"
#include "format/writer_monitors.h"
#include "profile/profile.h"

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

int hprof_save_monitors(struct writer_out *out)
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
