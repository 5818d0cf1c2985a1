/*
 * hprof_text_table.c - see hprof_text_table.h.
 *
 * Shares have two digits and totals are in ms, as readers expect. So that no digit is lost, the
 * same rows stand in ns in a block before a table of times. Readers that do not know this block
 * skip it: docs/format/hprof-text.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_text_table.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "base/sink.h"
#include "format/hprof_events.h"
#include "format/hprof_out.h"
#include "format/hprof_serial.h"
#include "format/hprof_text.h"
#include "format/hprof_text_histo.h"
#include "safe/clock.h"

enum { TIME, CALLS, RAW_TIME }; /* indices of the values in tables of times */

/* Writes the last columns of a row: count, trace, method. */
static void put_place(struct hprof_out *o, const struct event *row)
{
    const struct profile_trace *t = profile_trace_at(o->profile, row->trace);
    sink_printf(o->sink, " %7" PRIu64 " %5" PRIu32 " ",
                row->value[kind_all[row->kind]->text.layout == KIND_TEXT_SAMPLES ? 0 : CALLS],
                hprof_serial_trace(o->profile, row->trace));
    if (row->text != 0) {
        hprof_text_name(o, row->text);
    } else if (t->depth == 0) {
        sink_text(o->sink, "<empty trace>");
    } else {
        const struct profile_frame *f = profile_frame_at(o->profile, t->frames[0]);
        hprof_text_method(o, profile_method_at(o->profile, f->method));
    }
    sink_text(o->sink, "\n");
}

static void put_row(struct hprof_out *o, uint32_t rank, const struct event *row, uint64_t part,
                    uint64_t accum, uint64_t total)
{
    hprof_text_shares(o->sink, 4, rank, part, accum, total);
    put_place(o, row);
}

static void put_exact(struct hprof_out *o, const char *title, const struct writer_table *t,
                      uint32_t count)
{
    sink_printf(o->sink, "%s BEGIN (total = %" PRIu64 ")\n", title, t->total);
    for (uint32_t i = 0; i < count; i++)
        sink_printf(o->sink, "%4" PRIu32 " %" PRIu64 "\n", i + 1, t->rows[i].value[TIME]);
    sink_printf(o->sink, "%s END\n", title);
}

/* The total as the table prints it: a time in ms, and 0 if only calls were counted. */
static uint64_t printed_total(const struct kind_text *form, const struct writer_table *t)
{
    if (!form->exact)
        return t->total;
    return t->ranked_by == TIME ? (t->total + NS_PER_MS / 2) / NS_PER_MS : 0;
}

static void put_shares(struct hprof_out *o, const struct kind_text *form,
                       const struct writer_table *t, uint32_t count)
{
    uint64_t accum = 0;
    sink_printf(o->sink, "%s BEGIN (total = %" PRIu64 "%s) ", form->title, printed_total(form, t),
                form->unit);
    hprof_text_date(o->sink, time(NULL));
    if (count > 0)
        sink_printf(o->sink, "rank   self  accum   count trace %s\n", form->subject);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t part = t->rows[i].value[t->ranked_by];
        accum += part;
        put_row(o, i + 1, &t->rows[i], part, accum, t->total);
    }
    sink_printf(o->sink, "%s END\n", form->title);
}

static void put_raw_row(struct hprof_out *o, const char *rank, uint64_t raw, uint64_t corrected)
{
    sink_printf(o->sink, "%5s %14" PRIu64 " %14" PRIu64, rank, raw / NS_PER_US,
                corrected / NS_PER_US);
}

/* Tenths of a ns, rounded: printed as integers, because the program's locale may have a decimal
 * comma. */
static uint64_t tenths(double ns)
{
    return (uint64_t)(ns * 10 + 0.5);
}

/* Writes the rows by their ranks in the table before, and the sums of all methods. */
static void put_raw(struct hprof_out *o, const struct writer_table *t, uint32_t count)
{
    uint64_t raw = 0;
    for (uint32_t i = 0; i < t->count; i++)
        raw += t->rows[i].value[RAW_TIME];
    uint64_t inside = tenths(t->cost_inside), outside = tenths(t->cost_outside);
    sink_printf(o->sink,
                "CPU TIME RAW (us) BEGIN (taken off each call: %" PRIu64 ".%" PRIu64
                " ns inside, %" PRIu64 ".%" PRIu64 " ns outside)\n",
                inside / 10, inside % 10, outside / 10, outside % 10);
    sink_text(o->sink, " rank            raw      corrected   count trace method\n");
    for (uint32_t i = 0; i < count; i++) {
        char rank[16];
        snprintf(rank, sizeof(rank), "%" PRIu32, i + 1);
        put_raw_row(o, rank, t->rows[i].value[RAW_TIME], t->rows[i].value[TIME]);
        put_place(o, &t->rows[i]);
    }
    put_raw_row(o, "all", raw, t->total);
    sink_text(o->sink, "\nCPU TIME RAW (us) END\n");
}

static int by_count(const void *left, const void *right)
{
    const struct event *l = left, *r = right;
    if (l->value[CALLS] != r->value[CALLS])
        return l->value[CALLS] > r->value[CALLS] ? -1 : 1;
    return l->trace < r->trace ? -1 : l->trace > r->trace;
}

/* Writes CLASS.METHOD and its descriptor; the classes in a descriptor have slashes. */
static void put_method(struct hprof_out *o, const struct profile_trace *t, uint32_t frame,
                       const char *unknown)
{
    if (frame >= t->depth) {
        sink_text(o->sink, unknown);
        return;
    }
    const struct profile_frame *f = profile_frame_at(o->profile, t->frames[frame]);
    const struct profile_method *m = profile_method_at(o->profile, f->method);
    hprof_text_method(o, m);
    hprof_text_name(o, m->descriptor);
}

static void put_old(struct hprof_out *o, struct writer_table *t)
{
    if (t->count > 0)
        qsort(t->rows, t->count, sizeof(*t->rows), by_count);
    sink_text(o->sink, "count callee caller time\n");
    for (uint32_t i = 0; i < t->count && t->rows[i].value[CALLS] > 0; i++) {
        const struct profile_trace *trace = profile_trace_at(o->profile, t->rows[i].trace);
        sink_printf(o->sink, "%" PRIu64 " ", t->rows[i].value[CALLS]);
        put_method(o, trace, 0, "<unknown callee>");
        sink_text(o->sink, " ");
        put_method(o, trace, 1, "<unknown caller>");
        sink_printf(o->sink, " %" PRIu64 "\n", t->rows[i].value[TIME] / NS_PER_MS);
    }
}

static void put_table(struct hprof_out *o, const struct writer_table *t)
{
    const struct kind_text *form = &kind_all[t->kind]->text;
    uint32_t count = t->shown;
    if (o->config.all_traces)
        hprof_text_traces(o);
    for (uint32_t i = 0; i < count; i++)
        hprof_text_trace(o, t->rows[i].trace);
    if (form->exact && t->ranked_by == TIME && !t->is_rounded && count > 0)
        put_exact(o, form->exact, t, count);
    put_shares(o, form, t, count);
    if (t->has_raw)
        put_raw(o, t, count);
}

int hprof_text_table(struct writer_out *w, struct writer_table *t)
{
    struct hprof_out *o = w->state;
    switch (kind_all[t->kind]->text.layout) {
    case KIND_TEXT_PAIRS:
        put_old(o, t);
        break;
    case KIND_TEXT_CLASSES:
        hprof_text_histo(o, t);
        break;
    case KIND_TEXT_SAMPLES:
    case KIND_TEXT_TIMES:
    case KIND_TEXT_ENTERS:
        put_table(o, t);
        break;
    default:
        hprof_events_text(o, t);
    }
    return 0;
}
