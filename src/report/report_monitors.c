/*
 * report_monitors.c - see report_monitors.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/report_monitors.h"
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/javaname.h"
#include "base/plural.h"
#include "report/report_how.h"
#include "report/report_rows.h"
#include "report/report_text.h"
#include "command/say.h"
#include "command/tabular.h"
#include "format/hprof_file.h"

enum { NAME_BYTES = 4096 };

/* The activity of a thread, by the last word of its status; docs/monitor.md. */
static const struct {
    const char *status, *words;
} statuses[] = {
    {"R", "runnable"},
    {"MW", "entering a monitor"},
    {"CW", "waiting"},
    {"SL", "sleeping"},
    {"ZO", "ended"},
    {"NS", "not started"},
    {"UN", "in no known state"},
};

enum { STATUSES = sizeof(statuses) / sizeof(statuses[0]) };

/* The row of a status. For "S|intr|R" it is the row of "R". */
static size_t status_of(const char *text)
{
    const char *bar = strrchr(text, '|');
    size_t i = 0;
    while (i < STATUSES - 1 && strcmp(statuses[i].status, bar ? bar + 1 : text) != 0)
        i++;
    return i;
}

void report_monitors_head(const struct report_how *r, struct profile *profile)
{
    const struct hprof_file *f = hprof_file_of(profile);
    uint32_t counts[STATUSES] = {0};
    const char *before = "";
    if (f->monitor_dumps == 0)
        return;
    for (uint32_t i = 1; i <= f->threads.count; i++) {
        const struct hprof_file_thread *t = table_at(&f->threads, i);
        counts[status_of(report_text_of(profile, t->status))]++;
    }
    fprintf(r->out, "  %" PRIu32 " thread%s at %s: ", f->threads.count, plural_s(f->threads.count),
            f->monitor_dumps > 1 ? "the last dump" : "the dump");
    for (size_t i = 0; i < STATUSES; i++) {
        if (counts[i] == 0)
            continue;
        fprintf(r->out, "%s%" PRIu32 " %s", before, counts[i], statuses[i].words);
        before = ", ";
    }
    putc('\n', r->out);
}

/* A thread of the model, as the dump describes it. */
struct state {
    trace_id trace;
    thread_id owner; /* owner of the monitor that the thread wants to enter; 0: none */
    uint32_t seen;   /* the first thread of the search that reached this thread */
};

static struct state *find_states(struct profile *profile)
{
    const struct hprof_file *f = hprof_file_of(profile);
    struct state *states = calloc(profile_thread_count(profile) + (size_t)1, sizeof(*states));
    for (uint32_t i = 1; states && i <= f->threads.count; i++) {
        const struct hprof_file_thread *t = table_at(&f->threads, i);
        states[t->thread].trace = t->trace;
    }
    for (uint32_t i = 1; states && i <= f->waits.count; i++) {
        const struct hprof_file_waiter *w = table_at(&f->waits, i);
        const struct hprof_file_monitor *m = table_at(&f->monitors, w->monitor);
        if (w->is_entering && w->thread != 0)
            states[w->thread].owner = m->owner;
    }
    return states;
}

/* The first waiter from `at` on that waits for this monitor or a later one. */
static uint32_t first_waiter(const struct table *waits, uint32_t at, uint32_t monitor)
{
    while (at <= waits->count &&
           ((const struct hprof_file_waiter *)table_at(waits, at))->monitor < monitor)
        at++;
    return at;
}

static void print_waiter(const struct report_how *r, struct profile *profile,
                         const struct state *states, const struct hprof_file_waiter *w,
                         int with_stack)
{
    fputs(w->is_entering ? "    wants to enter: " : "    waits to be notified: ", r->out);
    report_text_thread(r->out, profile, w->thread);
    putc('\n', r->out);
    if (with_stack && states[w->thread].trace != 0)
        report_text_stack(r, profile, states[w->thread].trace, UINT32_MAX);
}

static void print_monitor(const struct report_how *r, struct profile *profile,
                          const struct hprof_file_monitor *m)
{
    const char *signature = report_text_of(profile, m->signature), *owner = ", owned by nobody";
    char name[NAME_BYTES];
    if (m->owner)
        owner = ", owned by ";
    else if (m->has_unknown_owner)
        owner = ", owned by a thread that the file does not name";
    fputs(m->is_raw ? "  raw monitor " : "  ", r->out);
    say_clean(r->out, m->is_raw ? signature : javaname_of_type(signature, name, sizeof(name)));
    fputs(owner, r->out);
    if (m->owner != 0)
        report_text_thread(r->out, profile, m->owner);
    putc('\n', r->out);
}

/* A monitor, and the waiters that wait for it. */
struct used {
    uint32_t monitor, first, end;
};

/* Finds the monitors that a thread waits for, or all others. The waiters are sorted by their
 * monitors. Returns how many there are with those before. */
static uint32_t take_monitors(struct profile *profile, bool is_waited_for, struct used *used,
                              uint32_t count)
{
    const struct hprof_file *f = hprof_file_of(profile);
    uint32_t at = 1;
    for (uint32_t i = 1; i <= f->monitors.count; i++) {
        at = first_waiter(&f->waits, at, i);
        uint32_t end = first_waiter(&f->waits, at, i + 1);
        if ((end > at) == is_waited_for)
            used[count++] = (struct used){i, at, end};
        at = end;
    }
    return count;
}

static void fill_rows(const struct report_how *r, struct profile *profile, const struct used *used,
                      uint32_t count, struct tabular *t)
{
    const struct hprof_file *f = hprof_file_of(profile);
    char name[NAME_BYTES];
    if (!report_rows_begin(r, t, "dumped-monitors", "monitor raw owner entering waiting"))
        return;
    for (uint32_t i = 0; i < count; i++) {
        const struct hprof_file_monitor *m = table_at(&f->monitors, used[i].monitor);
        const char *signature = report_text_of(profile, m->signature);
        uint32_t entering = 0;
        for (uint32_t at = used[i].first; at < used[i].end; at++)
            entering += ((const struct hprof_file_waiter *)table_at(&f->waits, at))->is_entering;
        tabular_text(t, m->is_raw ? signature : javaname_of_type(signature, name, sizeof(name)));
        tabular_number(t, m->is_raw);
        report_rows_thread(t, profile, m->owner);
        tabular_unsigned(t, entering);
        tabular_unsigned(t, used[i].end - used[i].first - entering);
    }
}

static void print_monitors(const struct report_how *r, struct profile *profile,
                           const struct state *states, const struct used *used, uint32_t count,
                           const struct tabular *t)
{
    const struct hprof_file *f = hprof_file_of(profile);
    fputs("\nmonitors in use at the dump\n", r->out);
    for (uint32_t i = 0; i < count && i < r->top; i++) {
        const struct used *u = &used[tabular_at(t, i)];
        print_monitor(r, profile, table_at(&f->monitors, u->monitor));
        for (uint32_t at = u->first; at < u->end; at++)
            print_waiter(r, profile, states, table_at(&f->waits, at), i < r->traces);
    }
}

static void print_deadlock(const struct report_how *r, struct profile *profile,
                           const struct state *states, thread_id first)
{
    thread_id at = first;
    fputs("  deadlock, each wants what the next one owns: ", r->out);
    do {
        report_text_thread(r->out, profile, at);
        at = states[at].owner;
        fputs(at != first ? ", " : "\n", r->out);
    } while (at != first);
}

/* Goes from each thread to the owner of the monitor that it wants. If a search comes back to
 * itself, it has found a circle. */
static void print_deadlocks(const struct report_how *r, struct profile *profile,
                            struct state *states)
{
    for (thread_id first = 1; first <= profile_thread_count(profile); first++) {
        thread_id at = first;
        while (states[at].owner != 0 && states[at].seen == 0) {
            states[at].seen = first;
            at = states[at].owner;
        }
        if (states[at].owner != 0 && states[at].seen == first)
            print_deadlock(r, profile, states, at);
    }
}

int report_monitors(const struct report_how *r, struct profile *profile)
{
    struct state *states;
    if (hprof_file_of(profile)->monitors.count == 0)
        return 0;
    states = find_states(profile);
    struct used *used = calloc(hprof_file_of(profile)->monitors.count + (size_t)1, sizeof(*used));
    int error = states && used ? 0 : -ENOMEM;
    if (error == 0) {
        struct tabular t = {0};
        uint32_t count = take_monitors(profile, false, used, take_monitors(profile, true, used, 0));
        fill_rows(r, profile, used, count, &t);
        if (report_rows_place(r, &t)) {
            print_monitors(r, profile, states, used, count, &t);
            print_deadlocks(r, profile, states);
        }
        tabular_done(&t);
    }
    free(used);
    free(states);
    return error;
}
