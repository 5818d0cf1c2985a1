/*
 * hprof_text.c - see hprof_text.h.
 *
 * No decimal number is printed with the C library's %f, because the application may have set a
 * locale with a decimal comma.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_text.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "base/plain.h"
#include "base/sink.h"
#include "format/hprof_out.h"
#include "format/hprof_serial.h"
#include "format/writer_monitors.h"
#include "safe/clock.h"

/* ---- what the tables have in common */

void hprof_text_date(struct sink *s, time_t when)
{
    char text[64];
    if (ctime_r(&when, text))
        sink_text(s, text);
    else
        sink_text(s, "(no date)\n");
}

void hprof_text_name(struct hprof_out *o, string_id id)
{
    if (id == 0)
        return;
    const struct profile_string *name = profile_string_at(o->profile, id);
    plain_put(o->sink, name->bytes, name->len);
}

void hprof_text_percent(char *text, size_t size, uint64_t part, uint64_t whole)
{
    while (whole > UINT64_MAX / 20000) {
        whole >>= 1;
        part >>= 1;
    }
    if (whole == 0)
        whole = 1;
    uint64_t hundredths = part * 10000 / whole;
    uint64_t rest = part * 10000 % whole;
    if (2 * rest > whole || (2 * rest == whole && hundredths % 2 == 1))
        hundredths++;
    snprintf(text, size, "%" PRIu64 ".%02u", hundredths / 100, (unsigned)(hundredths % 100));
}

static void put_shares_of(struct sink *s, int width, uint32_t rank, uint64_t part, uint64_t accum,
                          uint64_t whole)
{
    char self_text[32];
    char accum_text[32];
    hprof_text_percent(self_text, sizeof(self_text), part, whole);
    hprof_text_percent(accum_text, sizeof(accum_text), accum, whole);
    sink_printf(s, "%*" PRIu32 " %5s%% %5s%%", width, rank, self_text, accum_text);
}

static void put_method(struct hprof_out *o, const struct profile_method *m)
{
    if (m->klass != 0)
        hprof_text_name(o, profile_class_at(o->profile, m->klass)->name);
    sink_text(o->sink, ".");
    if (m->name != 0)
        hprof_text_name(o, m->name);
    else
        sink_text(o->sink, "<Unknown Method>");
}

static void put_frame(struct hprof_out *o, frame_id id)
{
    const struct profile_frame *f = profile_frame_at(o->profile, id);
    const struct profile_method *m = profile_method_at(o->profile, f->method);
    sink_text(o->sink, "\t");
    put_method(o, m);
    sink_text(o->sink, "(");
    if (m->source != 0)
        hprof_text_name(o, m->source);
    else
        sink_text(o->sink, "<Unknown Source>");
    if (f->line >= 0 && o->config.print_lines)
        sink_printf(o->sink, ":%" PRId32 ")\n", f->line);
    else
        sink_text(o->sink, ":Unknown line)\n");
}

static void put_trace(struct hprof_out *o, trace_id id)
{
    if (!row_marks_set(&o->marks, ROW_MARKS_TRACE, id))
        return;
    const struct profile_trace *t = profile_trace_at(o->profile, id);
    sink_printf(o->sink, "TRACE %" PRIu32 ":", hprof_serial_trace(o->profile, id));
    if (o->config.print_threads) {
        uint32_t serial = HPROF_SERIAL_THREAD_UNKNOWN;
        if (t->thread != 0)
            serial = profile_thread_at(o->profile, t->thread)->serial;
        sink_printf(o->sink, " (thread=%" PRIu32 ")", serial);
    }
    sink_text(o->sink, "\n");
    for (uint32_t i = 0; i < t->depth; i++)
        put_frame(o, t->frames[i]);
    if (t->depth == 0)
        sink_text(o->sink, "\t<empty>\n");
}

void hprof_text_traces(struct hprof_out *o)
{
    for (trace_id id = 1; id <= profile_trace_count(o->profile); id++)
        put_trace(o, id);
}

/* ---- SITES, in the layout of the original agent
 *
 * A sampled table is followed by a table of standard errors, whose rows have the ranks of the first
 * table.
 */

static void put_site(struct hprof_out *o, const struct writer_sites *t, uint32_t rank,
                     const struct event *s, uint64_t *accum)
{
    uint32_t by = hprof_out_sites_ranked_by(t);
    *accum += s->value[by];
    put_shares_of(o->sink, 5, rank, s->value[by], *accum, t->total[by]);
    sink_printf(o->sink, " %9" PRIu64 " %4" PRIu64 " %9" PRIu64 " %5" PRIu64 " %5" PRIu32 " ",
                s->value[WRITER_SITES_LIVE_BYTES], s->value[WRITER_SITES_LIVE_OBJECTS],
                s->value[WRITER_SITES_BYTES], s->value[WRITER_SITES_OBJECTS],
                hprof_serial_trace(o->profile, s->trace));
    hprof_text_name(o, profile_class_at(o->profile, s->klass)->name);
    sink_text(o->sink, "\n");
}

static void put_site_errors(struct hprof_out *o, const char *rank,
                            const struct writer_sites_errors *e)
{
    sink_printf(o->sink, "%5s %14.0f %9.0f %14.0f %9.0f\n", rank, e->value[WRITER_SITES_LIVE_BYTES],
                e->value[WRITER_SITES_LIVE_OBJECTS], e->value[WRITER_SITES_BYTES],
                e->value[WRITER_SITES_OBJECTS]);
}

/* Standard errors: in 19 of 20 cases the true number is at most two of them away. */
static void put_sites_errors(struct hprof_out *o, const struct writer_sites *t, uint32_t rows)
{
    sink_printf(o->sink, "SITES ERRORS BEGIN (one standard error, sample = %" PRIu64 ")\n",
                t->interval);
    sink_text(o->sink, " rank     live bytes      objs   alloc'ed bytes      objs\n");
    for (uint32_t i = 0; i < rows; i++) {
        char rank[16];
        snprintf(rank, sizeof(rank), "%" PRIu32, i + 1);
        put_site_errors(o, rank, &t->rows[i].errors);
    }
    put_site_errors(o, "all", &t->total_errors);
    sink_text(o->sink, "SITES ERRORS END\n");
}

int hprof_text_sites(struct writer_out *w, struct writer_sites *t)
{
    struct hprof_out *o = w->state;
    uint32_t rows = hprof_out_sites_rank(t);
    uint64_t accum = 0;
    hprof_text_traces(o);
    sink_printf(o->sink, "SITES BEGIN (ordered by %s bytes) ",
                t->flags & WRITER_SITES_BY_ALLOCATED ? "allocated" : "live");
    hprof_text_date(o->sink, time(NULL));
    sink_text(o->sink, "          percent          live          alloc'ed  stack class\n"
                       " rank   self  accum     bytes objs     bytes  objs trace name\n");
    for (uint32_t i = 0; i < rows; i++)
        put_site(o, t, i + 1, &t->rows[i].site, &accum);
    sink_text(o->sink, "SITES END\n");
    if (t->interval)
        put_sites_errors(o, t, rows);
    return 0;
}

/* ---- HISTOGRAM and LIVE HISTOGRAM: the objects of a heap and their bytes by class. They have no
 * traces.
 */

enum { BYTES, OBJECTS }; /* the values of both kinds */

static void put_class(struct hprof_out *o, uint32_t rank, const struct event *row, uint64_t accum,
                      uint64_t total)
{
    put_shares_of(o->sink, 5, rank, row->value[BYTES], accum, total);
    sink_printf(o->sink, " %12" PRIu64 " %10" PRIu64 " ", row->value[BYTES], row->value[OBJECTS]);
    if (row->klass)
        hprof_text_name(o, profile_class_at(o->profile, row->klass)->name);
    else
        sink_text(o->sink, "<classes that were not listed>");
    sink_text(o->sink, "\n");
}

static void put_histo(struct hprof_out *o, const struct writer_table *t)
{
    const char *title = kind_all[t->kind]->text.title;
    uint64_t accum = 0;
    sink_printf(o->sink, "%s BEGIN (total = %" PRIu64 " bytes) ", title, t->total);
    hprof_text_date(o->sink, time(NULL));
    sink_text(o->sink, "          percent                            class\n"
                       " rank   self  accum        bytes    objects name\n");
    for (uint32_t i = 0; i < t->shown; i++) {
        accum += t->rows[i].value[BYTES];
        put_class(o, i + 1, &t->rows[i], accum, t->total);
    }
    sink_printf(o->sink, "%s END\n", title);
}

/* ---- EVENTS: the sums of the events of one kind, which may be any kind
 *
 * It is for kinds that the original agent did not know. A table holds the sums since the start, so
 * the last table of a kind is valid.
 */

/* Writes "live bytes" as one word, "live_bytes". A time also gets its unit: "time_ns". */
static void put_value_name(struct sink *s, const struct kind_value *value)
{
    for (const char *at = value->words; *at; at++)
        sink_u1(s, *at == ' ' ? '_' : (uint8_t)*at);
    if (value->unit == KIND_UNIT_NS)
        sink_text(s, "_ns");
}

static void put_events_head(struct hprof_out *o, const struct writer_table *t)
{
    const struct kind *type = kind_all[t->kind];
    uint64_t total[KIND_VALUES] = {0};
    for (uint32_t i = 0; i < t->count; i++)
        for (int v = 0; v < KIND_VALUES; v++)
            total[v] += t->rows[i].value[v];
    total[t->ranked_by] = t->total;
    sink_printf(o->sink, HPROF_TEXT_EVENTS "%s BEGIN (", type->word);
    for (uint32_t i = 0; i < kind_value_count(t->kind); i++) {
        sink_text(o->sink, i > 0 ? " " : "");
        put_value_name(o->sink, &type->values[i]);
        sink_printf(o->sink, "=%" PRIu64, total[i]);
    }
    sink_text(o->sink, ") ");
    hprof_text_date(o->sink, time(NULL));
    sink_text(o->sink, " rank   self  accum ");
    for (uint32_t i = 0; i < kind_value_count(t->kind); i++) {
        put_value_name(o->sink, &type->values[i]);
        sink_text(o->sink, " ");
    }
    sink_text(o->sink, "trace class text\n");
}

static void put_event(struct hprof_out *o, const struct event *row)
{
    for (uint32_t i = 0; i < kind_value_count(row->kind); i++)
        sink_printf(o->sink, "%" PRIu64 " ", row->value[i]);
    sink_printf(o->sink, "%" PRIu32 " ", hprof_serial_trace(o->profile, row->trace));
    if (row->klass)
        hprof_text_name(o, profile_class_at(o->profile, row->klass)->name);
    else
        sink_text(o->sink, "-");
    if (row->text) {
        sink_text(o->sink, " ");
        hprof_text_name(o, row->text);
    }
    sink_text(o->sink, "\n");
}

static void put_events(struct hprof_out *o, const struct writer_table *t)
{
    uint64_t accum = 0;
    for (uint32_t i = 0; i < t->shown; i++)
        put_trace(o, t->rows[i].trace);
    put_events_head(o, t);
    for (uint32_t i = 0; i < t->shown; i++) {
        uint64_t part = t->rows[i].value[t->ranked_by];
        accum += part;
        put_shares_of(o->sink, 5, i + 1, part, accum, t->total);
        sink_text(o->sink, " ");
        put_event(o, &t->rows[i]);
    }
    sink_printf(o->sink, HPROF_TEXT_EVENTS "%s END\n", kind_all[t->kind]->word);
}

/* ---- CPU SAMPLES, CPU TIME, MONITOR TIME, other tables with the same columns, and the table of
 * cpu=old
 *
 * Shares have two digits and totals are in ms, as readers expect. So that no digit is lost, the
 * same rows stand in ns in a block before a table of times. Readers that do not know this block
 * skip it.
 */

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
        put_method(o, profile_method_at(o->profile, f->method));
    }
    sink_text(o->sink, "\n");
}

static void put_row(struct hprof_out *o, uint32_t rank, const struct event *row, uint64_t part,
                    uint64_t accum, uint64_t total)
{
    put_shares_of(o->sink, 4, rank, part, accum, total);
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
static void put_signature(struct hprof_out *o, const struct profile_trace *t, uint32_t frame,
                          const char *unknown)
{
    if (frame >= t->depth) {
        sink_text(o->sink, unknown);
        return;
    }
    const struct profile_frame *f = profile_frame_at(o->profile, t->frames[frame]);
    const struct profile_method *m = profile_method_at(o->profile, f->method);
    put_method(o, m);
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
        put_signature(o, trace, 0, "<unknown callee>");
        sink_text(o->sink, " ");
        put_signature(o, trace, 1, "<unknown caller>");
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
        put_trace(o, t->rows[i].trace);
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
        put_histo(o, t);
        break;
    case KIND_TEXT_SAMPLES:
    case KIND_TEXT_TIMES:
    case KIND_TEXT_ENTERS:
        put_table(o, t);
        break;
    default:
        put_events(o, t);
    }
    return 0;
}

/* ---- what monitor=y writes in addition to MONITOR TIME: WAIT and WAITED lines, and MONITOR DUMP
 *
 * The binary form has no such records.
 */

void hprof_text_wait(struct writer_out *w, const struct writer_wait *wait)
{
    struct hprof_out *o = w->state;
    sink_printf(o->sink, "%s: MONITOR ", wait->has_ended ? "WAITED" : "WAIT");
    hprof_text_name(o, wait->object);
    sink_printf(o->sink, ", %s=%" PRId64 ", ", wait->has_ended ? "time_waited" : "timeout",
                wait->ms);
    if (wait->thread)
        sink_printf(o->sink, "thread %" PRIu32 "\n", wait->thread);
    else
        sink_text(o->sink, "<unknown thread>\n");
}

static void put_waiters(struct hprof_out *o, const char *title, const uint32_t *serials,
                        uint32_t count)
{
    sink_printf(o->sink, "\t%s:", title);
    for (uint32_t i = 0; i < count; i++)
        sink_printf(o->sink, "%s thread %" PRIu32, i > 0 ? "," : "", serials[i]);
    sink_text(o->sink, "\n");
}

static void put_monitor(struct hprof_out *o, const struct writer_monitors_monitor *m)
{
    sink_text(o->sink, m->is_raw ? "    RAW MONITOR " : "    MONITOR ");
    hprof_text_name(o, m->signature);
    if (m->owner)
        sink_printf(o->sink, "\n\towner: thread %" PRIu32 ", entry count: %" PRIu32 "\n", m->owner,
                    m->entry_count);
    else if (m->has_unknown_owner)
        sink_printf(o->sink, "\n\towner: <unknown thread>, entry count: %" PRIu32 "\n",
                    m->entry_count);
    else
        sink_text(o->sink, " unowned\n");
    put_waiters(o, "waiting to enter", m->entering, m->entering_count);
    put_waiters(o, "waiting to be notified", m->waiting, m->waiting_count);
}

void hprof_text_monitors(struct writer_out *w, const struct writer_monitors *dump)
{
    struct hprof_out *o = w->state;
    hprof_text_traces(o);
    sink_text(o->sink, "MONITOR DUMP BEGIN\n");
    for (uint32_t i = 0; i < dump->thread_count; i++) {
        const struct writer_monitors_thread *t = &dump->threads[i];
        uint32_t serial =
            t->trace ? hprof_serial_trace(o->profile, t->trace) : HPROF_SERIAL_TRACE_SYSTEM;
        sink_printf(o->sink, "    THREAD %" PRIu32 ", trace %" PRIu32 ", status: %s\n", t->serial,
                    serial, t->status);
    }
    for (uint32_t i = 0; i < dump->monitor_count; i++)
        put_monitor(o, &dump->monitors[i]);
    sink_text(o->sink, "MONITOR DUMP END\n");
}
