/*
 * hprof_text_cpu.c - see hprof_text_cpu.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_text_cpu.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "base/sink.h"
#include "format/hprof_out.h"
#include "format/hprof_text.h"

enum { NS_PER_US = 1000, NS_PER_MS = 1000000 };

/* count trace method */
static void put_place(struct hprof_out *o, const struct hprof_out_row *row)
{
    const struct profile_trace *t = profile_trace_at(o->profile, row->trace);
    sink_printf(o->sink, " %7" PRIu64 " %5" PRIu32 " ", row->count, t->serial);
    if (t->depth == 0) {
        sink_text(o->sink, "<empty trace>\n");
        return;
    }
    const struct profile_frame *f = profile_frame_at(o->profile, t->frames[0]);
    hprof_text_method(o, profile_method_at(o->profile, f->method));
    sink_text(o->sink, "\n");
}

static void put_row(struct hprof_out *o, uint32_t rank, const struct hprof_out_row *row,
                    uint64_t accum, uint64_t total)
{
    char self_text[32];
    char accum_text[32];
    hprof_text_percent(self_text, sizeof self_text, row->cost, total);
    hprof_text_percent(accum_text, sizeof accum_text, accum, total);
    sink_printf(o->sink, "%4" PRIu32 " %5s%% %5s%%", rank, self_text, accum_text);
    put_place(o, row);
}

static void put_table(struct hprof_out *o, const char *title, const struct hprof_out_row *rows,
                      uint32_t count, uint64_t total, uint64_t printed_total)
{
    uint64_t accum = 0;
    if (o->config.all_traces)
        o->ops->traces(o);
    for (uint32_t i = 0; i < count; i++)
        hprof_text_trace(o, rows[i].trace);
    sink_printf(o->sink, "%s BEGIN (total = %" PRIu64 ") ", title, printed_total);
    hprof_text_date(o->sink, time(NULL));
    if (count > 0)
        sink_text(o->sink, "rank   self  accum   count trace method\n");
    for (uint32_t i = 0; i < count; i++) {
        accum += rows[i].cost;
        put_row(o, i + 1, &rows[i], accum, total);
    }
    sink_printf(o->sink, "%s END\n", title);
}

void hprof_text_cpu_samples(struct hprof_out *o)
{
    struct hprof_out_row *rows;
    uint64_t total;
    uint32_t count = hprof_out_samples(o, &rows, &total);
    put_table(o, "CPU SAMPLES", rows, count, total, total);
    free(rows);
}

static void put_raw_row(struct hprof_out *o, const char *rank, uint64_t raw, uint64_t corrected)
{
    sink_printf(o->sink, "%5s %14" PRIu64 " %14" PRIu64, rank, raw / NS_PER_US,
                corrected / NS_PER_US);
}

/* Rounded, and written without the decimal point of the program's locale. */
static uint64_t tenths(double ns)
{
    return (uint64_t)(ns * 10 + 0.5);
}

/* Rows by the ranks of the table before, and the sums over all methods. */
static void put_raw(struct hprof_out *o, const struct hprof_out_times *t, uint32_t count)
{
    uint64_t raw = 0;
    for (uint32_t i = 0; i < t->count; i++)
        raw += t->rows[i].raw;
    uint64_t inside = tenths(t->cost_inside), outside = tenths(t->cost_outside);
    sink_printf(o->sink,
                "CPU TIME RAW (us) BEGIN (taken off each call: %" PRIu64 ".%" PRIu64
                " ns inside, %" PRIu64 ".%" PRIu64 " ns outside)\n",
                inside / 10, inside % 10, outside / 10, outside % 10);
    sink_text(o->sink, " rank            raw      corrected   count trace method\n");
    for (uint32_t i = 0; i < count; i++) {
        char rank[16];
        snprintf(rank, sizeof rank, "%" PRIu32, i + 1);
        put_raw_row(o, rank, t->rows[i].raw, t->rows[i].cost);
        put_place(o, &t->rows[i]);
    }
    put_raw_row(o, "all", raw, t->total);
    sink_text(o->sink, "\nCPU TIME RAW (us) END\n");
}

void hprof_text_cpu_times(struct hprof_out *o, struct hprof_out_times *t)
{
    static const char *const titles[2][2] = {{"CPU TIME (ms)", "UNFINISHED CALLS (ms)"},
                                             {"WAITING (ms)", "UNFINISHED WAITS (ms)"}};
    uint32_t count = hprof_out_rank(o, t->rows, t->count, t->total);
    put_table(o, titles[t->is_waiting != 0][t->is_unfinished != 0], t->rows, count, t->total,
              t->total_ms);
    if (t->has_raw)
        put_raw(o, t, count);
}

static int by_count(const void *left, const void *right)
{
    const struct hprof_out_row *l = left;
    const struct hprof_out_row *r = right;
    if (l->count != r->count)
        return l->count > r->count ? -1 : 1;
    return l->trace < r->trace ? -1 : l->trace > r->trace;
}

/* CLASS.METHOD and its descriptor, the latter with slashes. */
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

void hprof_text_cpu_old(struct hprof_out *o, struct hprof_out_times *t)
{
    qsort(t->rows, t->count, sizeof *t->rows, by_count);
    sink_text(o->sink, "count callee caller time\n");
    for (uint32_t i = 0; i < t->count && t->rows[i].count > 0; i++) {
        const struct profile_trace *trace = profile_trace_at(o->profile, t->rows[i].trace);
        sink_printf(o->sink, "%" PRIu64 " ", t->rows[i].count);
        put_method(o, trace, 0, "<unknown callee>");
        sink_text(o->sink, " ");
        put_method(o, trace, 1, "<unknown caller>");
        sink_printf(o->sink, " %" PRIu64 "\n", t->rows[i].cost / NS_PER_MS);
    }
}
