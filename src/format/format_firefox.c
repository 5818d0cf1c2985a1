/*
 * format_firefox.c - writes a processed profile of the Firefox Profiler, which is one JSON object.
 *
 * The samples have the value that the user named, otherwise the first value that the profile has.
 * Events of other kinds become markers with their stacks; single events become markers with the
 * fields of their types (firefox_typed.h). An event with a time stands at that time. A sum without
 * times stands at a millisecond of its own, and its weight is the sum. A marker also has fields for
 * what its thread worked for (the context). Samples of a thread that follow each other in one
 * context get a marker together. This format is not read. Layout: docs/format/firefox.md. Source:
 * Firefox Profiler, src/types/profile.ts, version 70 of the processed profile.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "base/sink.h"
#include "format/firefox_marker.h"
#include "format/firefox_counters.h"
#include "format/firefox_tables.h"
#include "format/firefox_threads.h"
#include "format/firefox_typed.h"
#include "format/format.h"
#include "format/idmap.h"
#include "format/json_out.h"
#include "format/thread_rows.h"
#include "profile/context.h"
#include "profile/moments.h"
#include "profile/profile.h"
#include "safe/clock.h"

enum {
    PROCESSED_VERSION = 70,
    GECKO_VERSION = 36,
    THREADS_SHOWN = 12,
};

/* Two kinds of rows in addition to the kinds of the model: CONTEXT says for how long samples had
 * one context, and TYPED is a single event. */
enum { CONTEXT = KIND_COUNT, MARKER_KINDS, TYPED = MARKER_KINDS };

/* A row of the model's sums, a context, or a single event. */
struct row {
    int kind;
    thread_id thread; /* 0: unknown */
    uint32_t stack;
    context_id context;
    uint32_t type;                    /* the type of a single event */
    const union custom_value *values; /* the values of a single event */
};

/* A sample or a marker: an event at its time, a whole sum, or the time that samples had one
 * context. For a context, value[0] is that time and the other values are 0. */
struct mark {
    uint32_t row;
    thread_id thread;
    uint64_t time_ns; /* since the profile began */
    uint64_t value[KIND_VALUES];
};

struct firefox {
    struct firefox_tables tables;
    struct firefox_typed typed;
    struct idmap stacks; /* stacks by trace: many single events have the same trace */
    struct arena arena;
    struct table rows, marks;
    struct thread_rows by_thread; /* the marks by thread; made in end() */
    uint64_t sample_ns;           /* CPU time that a sample stands for; 0: unknown, or no samples */
    uint32_t words[MARKER_KINDS]; /* by kind: the string of its word; 0: no markers of the kind */
};

static int begin(struct writer_out *o)
{
    struct firefox *f = calloc(1, sizeof(*f));
    if (!f)
        return -ENOMEM;
    firefox_tables_init(&f->tables, o->profile);
    if (o->kind == KIND_SAMPLE && o->timed_kinds >> KIND_SAMPLE & 1)
        f->sample_ns = profile_moments(o->profile)->sample_ns;
    arena_init(&f->arena, SIZE_MAX);
    idmap_init(&f->stacks);
    firefox_typed_init(&f->typed, o->profile, &f->tables, &f->arena);
    table_init(&f->rows, sizeof(struct row));
    table_init(&f->marks, sizeof(struct mark));
    o->state = f;
    return 0;
}

static int add_mark(struct firefox *f, uint32_t row, uint64_t time_ns, const struct event *event)
{
    struct mark *mark = table_add(&f->marks, &f->arena);
    const struct row *of = table_at(&f->rows, row);
    if (!mark)
        return -ENOMEM;
    *mark = (struct mark){.row = row, .thread = of->thread, .time_ns = time_ns};
    memcpy(mark->value, event->value, sizeof(mark->value));
    return 0;
}

static void name_kind(struct writer_out *o, int kind)
{
    struct firefox *f = o->state;
    const char *word = kind == CONTEXT ? FIREFOX_MARKER_CONTEXT : kind_all[kind]->word;
    if (!f->words[kind])
        f->words[kind] = firefox_tables_string(&f->tables, profile_cstring(o->profile, word));
}

/* Adds a marker for a single event. If the event has no stack, the marker has no cause. If the name
 * of the type has found no room, its events get no markers. */
static int add_typed(struct writer_out *o, const struct event *event, struct row *row)
{
    struct firefox *f = o->state;
    row->kind = TYPED;
    row->type = firefox_typed_type(&f->typed, event->custom->type);
    row->values = event->custom->values;
    if (!row->type)
        return 0;
    bool has_stack = profile_trace_at(o->profile, event->trace)->depth > 0;
    if (has_stack)
        row->stack = idmap_get(&f->stacks, event->trace);
    if (has_stack && !row->stack) {
        row->stack = firefox_tables_stack(&f->tables, event);
        idmap_put(&f->stacks, event->trace, row->stack);
    }
    if (has_stack && !row->stack)
        return -ENOMEM;
    return add_mark(f, f->rows.count, event->time_ns - o->first_ns, event);
}

/* Each event gets a row, even if it gets no mark, because moments name events by their numbers. */
static int add(struct writer_out *o, const struct event *event)
{
    struct firefox *f = o->state;
    thread_id thread = profile_trace_at(o->profile, event->trace)->thread;
    struct row *row = table_add(&f->rows, &f->arena);
    if (!row)
        return -ENOMEM;
    *row = (struct row){.kind = (int)event->kind,
                        .thread = event->thread ? event->thread : thread,
                        .context = event->context};
    if (event->custom)
        return add_typed(o, event, row);
    if (event->kind == o->kind && event->value[o->value] == 0)
        return 0;
    row->stack = firefox_tables_stack(&f->tables, event);
    if (event->kind != o->kind)
        name_kind(o, (int)event->kind);
    if (!row->stack)
        return -ENOMEM;
    return o->timed_kinds >> event->kind & 1
               ? 0
               : add_mark(f, f->rows.count, (uint64_t)f->marks.count * NS_PER_MS, event);
}

static int add_moment(struct writer_out *o, uint32_t row, const struct event *event)
{
    if (event->kind == o->kind && event->value[o->value] == 0)
        return 0;
    return add_mark(o->state, row, event->time_ns - o->first_ns, event);
}

static const struct mark *mark_at(const struct firefox *f, uint32_t i)
{
    return table_at(&f->marks, i);
}

static const struct row *row_of(const struct firefox *f, uint32_t i)
{
    return table_at(&f->rows, mark_at(f, i)->row);
}

/* Writes a time in milliseconds; whole milliseconds have no decimals. */
static void put_ms(struct sink *s, uint64_t ns)
{
    if (ns % NS_PER_MS == 0)
        sink_printf(s, "%" PRIu64, ns / NS_PER_MS);
    else
        firefox_marker_put_ms(s, ns);
}

enum sample_column { STACK, TIME, WEIGHT, CPU, SAMPLE_COLUMNS };

static void put_sample(struct writer_out *o, enum sample_column column, uint32_t i)
{
    const struct firefox *f = o->state;
    const struct mark *mark = mark_at(f, i);
    switch (column) {
    case STACK:
        sink_printf(o->sink, "%u", row_of(f, i)->stack - 1);
        break;
    case TIME:
        put_ms(o->sink, mark->time_ns);
        break;
    case WEIGHT:
        firefox_marker_put_value(o->sink, &kind_all[o->kind]->values[o->value],
                                 mark->value[o->value]);
        break;
    default:
        sink_printf(o->sink, "%" PRIu64, f->sample_ns * mark->value[o->value]);
    }
}

static void put_samples(struct writer_out *o, const struct firefox_thread *thread)
{
    static const char *const types[] = {[KIND_UNIT_COUNT] = "samples",
                                        [KIND_UNIT_NS] = "tracing-ms",
                                        [KIND_UNIT_BYTES] = "bytes",
                                        [KIND_UNIT_LEVEL] = "bytes"};
    static const char *const columns[SAMPLE_COLUMNS] = {"stack", "time", "weight",
                                                        "threadCPUDelta"};
    struct firefox *f = o->state;
    const struct thread_rows *by = &f->by_thread;
    const struct kind_value *type = &kind_all[o->kind]->values[o->value];
    sink_text(o->sink, ",\n\"samples\":{");
    for (int column = 0; column < (f->sample_ns ? SAMPLE_COLUMNS : CPU); column++) {
        const char *before = "";
        sink_printf(o->sink, "\"%s\":[", columns[column]);
        for (uint32_t at = by->first[thread->id]; at < by->first[thread->id + 1]; at++) {
            if (row_of(f, by->rows[at])->kind != (int)o->kind)
                continue;
            sink_text(o->sink, before);
            put_sample(o, (enum sample_column)column, by->rows[at]);
            before = ",";
        }
        sink_text(o->sink, "],");
    }
    sink_printf(o->sink, "\"weightType\":\"%s\",\"length\":%llu}", types[type->unit],
                (unsigned long long)thread->marks);
}

static void put_marker(struct writer_out *o, const struct mark *mark, const struct row *row)
{
    struct firefox *f = o->state;
    if (row->kind == TYPED)
        firefox_typed_put_values(&f->typed, o->sink, row->type, row->values, o->first_ns);
    else if (row->kind == CONTEXT)
        sink_text(o->sink, "\n{\"type\":\"" FIREFOX_MARKER_CONTEXT "\"");
    else
        firefox_marker_put_sum(o->sink, (enum kind_id)row->kind, mark->value);
    firefox_marker_put_context(o->sink, o->profile, row->context);
    if (!row->stack) {
        sink_text(o->sink, "}");
        return;
    }
    sink_text(o->sink, ",\"cause\":{\"time\":");
    put_ms(o->sink, mark->time_ns);
    sink_printf(o->sink, ",\"stack\":%u}}", row->stack - 1);
}

/* How long a mark lasts. If an event has a time, and its first value is a duration, it began at
 * that time and took so long. A sum has no duration, even if its first value is one. */
static uint64_t duration_of(const struct writer_out *o, const struct mark *mark,
                            const struct row *row)
{
    if (row->kind >= KIND_COUNT)
        return mark->value[0];
    bool is_time = kind_all[row->kind]->values[0].unit == KIND_UNIT_NS;

    return is_time && o->timed_kinds >> row->kind & 1 ? mark->value[0] : 0;
}

enum marker_column { DATA, NAME, START, END, PHASE, CATEGORY, MARKER_COLUMNS };
enum { PHASE_INSTANT = 0, PHASE_INTERVAL = 1 };

static void put_cell(struct writer_out *o, enum marker_column column, uint32_t i)
{
    const struct firefox *f = o->state;
    const struct mark *mark = mark_at(f, i);
    const struct row *row = row_of(f, i);
    uint64_t duration_ns = duration_of(o, mark, row);
    switch (column) {
    case DATA:
        put_marker(o, mark, row);
        break;
    case NAME:
        sink_printf(
            o->sink, "%u",
            (row->kind == TYPED ? firefox_typed_name(&f->typed, row->type) : f->words[row->kind]) -
                1);
        break;
    case START:
        put_ms(o->sink, mark->time_ns);
        break;
    case END:
        if (duration_ns)
            put_ms(o->sink, mark->time_ns + duration_ns);
        else
            sink_text(o->sink, "null");
        break;
    case PHASE:
        sink_printf(o->sink, "%d", duration_ns ? PHASE_INTERVAL : PHASE_INSTANT);
        break;
    default:
        sink_printf(o->sink, "%u",
                    row->kind == TYPED ? firefox_typed_category(&f->typed, row->type) : 0);
    }
}

static void put_markers(struct writer_out *o, const struct firefox_thread *thread)
{
    static const char *const columns[MARKER_COLUMNS] = {"data",    "name",  "startTime",
                                                        "endTime", "phase", "category"};
    struct firefox *f = o->state;
    const struct thread_rows *by = &f->by_thread;
    uint32_t count = 0;
    sink_text(o->sink, ",\n\"markers\":{");
    for (int column = 0; column < MARKER_COLUMNS; column++) {
        sink_printf(o->sink, "\"%s\":[", columns[column]);
        count = 0;
        for (uint32_t at = by->first[thread->id]; at < by->first[thread->id + 1]; at++) {
            if (row_of(f, by->rows[at])->kind == (int)o->kind)
                continue;
            sink_text(o->sink, count++ ? "," : "");
            put_cell(o, (enum marker_column)column, by->rows[at]);
        }
        sink_text(o->sink, "],");
    }
    sink_printf(o->sink, "\"length\":%u}", count);
}

static void put_thread(struct writer_out *o, const struct firefox_thread *thread, bool is_first)
{
    sink_text(o->sink, is_first ? "\n" : ",\n");
    firefox_threads_put_head(o->sink, o->profile, thread);
    put_samples(o, thread);
    put_markers(o, thread);
    sink_text(o->sink, "}");
}

/* Writes a schema for each kind of marker in the file. */
static void put_schemas(struct writer_out *o)
{
    const struct firefox *f = o->state;
    const char *before = "";
    sink_text(o->sink, ",\n\"markerSchema\":[");
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        if (!f->words[kind])
            continue;
        sink_text(o->sink, before);
        firefox_marker_put_sum_schema(o->sink, o->profile, (enum kind_id)kind);
        before = ",";
    }
    if (f->words[CONTEXT]) {
        sink_text(o->sink, before);
        firefox_marker_put_context_schema(o->sink, o->profile);
        before = ",";
    }
    firefox_typed_put_schemas(&f->typed, o->sink, before);
    sink_text(o->sink, "]");
}

/* Writes when the profile begins and ends. Without these facts the Firefox Profiler shows a thread
 * only up to its last sample. */
static void put_range(struct writer_out *o)
{
    const struct firefox *f = o->state;
    uint64_t end_ns = 0;
    for (uint32_t i = 1; i <= f->marks.count; i++) {
        uint64_t ns = mark_at(f, i)->time_ns + duration_of(o, mark_at(f, i), row_of(f, i));
        end_ns = ns > end_ns ? ns : end_ns;
    }
    sink_text(o->sink, ",\"profilingStartTime\":0,\"profilingEndTime\":");
    put_ms(o->sink, end_ns + (f->sample_ns ? f->sample_ns : NS_PER_MS));
}

static void put_meta(struct writer_out *o, const struct firefox_thread *threads, uint32_t count)
{
    const struct firefox *f = o->state;
    sink_text(o->sink, "{\"meta\":{\"interval\":");
    put_ms(o->sink, f->sample_ns ? f->sample_ns : NS_PER_MS);
    sink_text(o->sink, ",\"startTime\":");
    put_ms(o->sink, o->first_ns);
    if (f->sample_ns)
        sink_text(o->sink, ",\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\","
                           "\"threadCPUDelta\":\"ns\"}");
    firefox_counters_put_facts(o->sink, o->profile);
    sink_text(o->sink, ",\"processType\":0");
    put_range(o);
    sink_text(o->sink, ",\"product\":");
    string_id program = count > 0 ? firefox_threads_program(o->profile, threads[0].process)
                                  : profile_program(o->profile);
    json_out_string(o->sink, o->profile, program ? program : profile_cstring(o->profile, "Java"));
    sink_printf(o->sink,
                ",\"stackwalk\":1,\"version\":%d,\"preprocessedProfileVersion\":%d,"
                "\"symbolicated\":true,\"importedFrom\":\"hprof " HPROF_VERSION "\","
                "\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,"
                "\"keepProfileThreadOrder\":true,\n",
                GECKO_VERSION, PROCESSED_VERSION);
    firefox_tables_put_categories(&f->tables, o->sink);
    put_schemas(o);
    firefox_threads_put_shown(o->sink, threads, count);
    sink_text(o->sink, ",\"extra\":[{\"label\":\"Samples\",\"entries\":[{\"label\":\"are of\","
                       "\"format\":\"string\",\"value\":");
    const struct kind *type = kind_all[o->kind];
    const char *words = type->values[o->value].words;
    sink_printf(o->sink, "\"%s: %s\"}]}", type->word, words);
    firefox_counters_put_vm(o->sink, o->profile);
    firefox_typed_put_left(o->sink, o->profile);
    sink_text(o->sink, "]},\n\"libs\":[],\n");
}

/* Finds the threads that have marks, in the order in which they are written. NULL: no memory. */
static struct firefox_thread *find_threads(struct writer_out *o, uint32_t *ret_count)
{
    struct firefox *f = o->state;
    uint32_t all = profile_thread_count(o->profile) + 1, count = 0;
    struct firefox_thread *threads = calloc(all, sizeof(*threads));
    bool *is_there = calloc(all, sizeof(*is_there));
    for (uint32_t i = 1; threads && is_there && i <= f->marks.count; i++) {
        const struct mark *mark = mark_at(f, i);
        is_there[mark->thread] = true;
        if (row_of(f, i)->kind == (int)o->kind) {
            threads[mark->thread].marks++;
            threads[mark->thread].total += mark->value[o->value];
        }
    }
    for (thread_id id = 0; threads && is_there && id < all; id++) {
        threads[id].id = id;
        if (is_there[id])
            threads[count++] = threads[id];
    }
    if (!threads || !is_there ||
        firefox_threads_order(o->profile, threads, count, THREADS_SHOWN) < 0) {
        free(threads);
        threads = NULL;
    }
    free(is_there);
    *ret_count = count;
    return threads;
}

static int by_time(const void *left, const void *right, void *firefox)
{
    uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
    const struct mark *x = mark_at(firefox, i), *y = mark_at(firefox, j);
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return i < j ? -1 : i > j;
}

/* Events come in no order of time, but the Firefox Profiler needs those of each thread in order. */
static void sort_marks(struct firefox *f, const struct firefox_thread *threads, uint32_t count)
{
    const struct thread_rows *by = &f->by_thread;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = by->first[threads[i].id], end = by->first[threads[i].id + 1];
        qsort_r(by->rows + first, end - first, sizeof(*by->rows), by_time, f);
    }
}

/* Samples of a thread that follow each other in one context. */
struct stretch {
    thread_id thread;
    context_id context; /* 0: none yet */
    uint64_t first_ns, last_ns;
};

/* Adds a marker for a stretch. The last sample of the stretch stands for the time up to the
 * thread's next sample, but at most for `sample_ns`. */
static int add_stretch(struct writer_out *o, const struct stretch *s, uint64_t next_ns)
{
    struct firefox *f = o->state;
    struct row *row = s->context ? table_add(&f->rows, &f->arena) : NULL;
    uint64_t end_ns = s->last_ns + f->sample_ns;
    struct event event = {0};
    if (!s->context)
        return 0;
    if (!row)
        return -ENOMEM;
    name_kind(o, CONTEXT);
    *row = (struct row){.kind = CONTEXT, .thread = s->thread, .context = s->context};
    event.value[0] = (end_ns < next_ns ? end_ns : next_ns) - s->first_ns;
    return add_mark(f, f->rows.count, s->first_ns, &event);
}

/* Adds a marker for each stretch of the thread. Its samples must be in the order of time. */
static int add_stretches(struct writer_out *o, thread_id thread)
{
    struct firefox *f = o->state;
    const struct thread_rows *by = &f->by_thread;
    struct stretch s = {.thread = thread};
    int r = 0;
    for (uint32_t at = by->first[thread]; at < by->first[thread + 1] && r == 0; at++) {
        const struct row *row = row_of(f, by->rows[at]);
        uint64_t time_ns = mark_at(f, by->rows[at])->time_ns;
        if (row->kind != (int)o->kind)
            continue;
        if (row->context != s.context) {
            r = add_stretch(o, &s, time_ns);
            s.context = row->context;
            s.first_ns = time_ns;
        }
        s.last_ns = time_ns;
    }
    return r == 0 ? add_stretch(o, &s, UINT64_MAX) : r;
}

/* Groups the marks by thread, and sorts those of each thread by time. */
static int order_marks(struct writer_out *o, const struct firefox_thread *threads, uint32_t count)
{
    struct firefox *f = o->state;
    thread_rows_done(&f->by_thread);
    int r = thread_rows_make(&f->by_thread, &f->marks, offsetof(struct mark, thread),
                             profile_thread_count(o->profile));
    if (r == 0)
        sort_marks(f, threads, count);
    return r;
}

/* Makes markers of contexts from the samples, and sorts them in among the other marks. A row that
 * stands for many threads gets no such markers: samples of different threads do not follow each
 * other. */
static int add_contexts(struct writer_out *o, const struct firefox_thread *threads, uint32_t count)
{
    uint32_t before = ((struct firefox *)o->state)->marks.count;
    int r = 0;
    if (!(o->timed_kinds >> o->kind & 1) || profile_contexts(o->profile)->key_count == 0)
        return 0;
    for (uint32_t i = 0; i < count && r == 0; i++)
        if (threads[i].id && !profile_thread_is_rest(o->profile, threads[i].id))
            r = add_stretches(o, threads[i].id);
    bool is_any = ((struct firefox *)o->state)->marks.count > before;
    return r == 0 && is_any ? order_marks(o, threads, count) : r;
}

static int end(struct writer_out *o)
{
    struct firefox *f = o->state;
    uint32_t count;
    if (!f)
        return 0;
    struct firefox_thread *threads = find_threads(o, &count);
    int r = threads ? order_marks(o, threads, count) : -ENOMEM;
    if (r == 0)
        r = add_contexts(o, threads, count);
    if (r == 0) {
        put_meta(o, threads, count);
        r = firefox_counters_put(o->sink, o->profile, threads, count, o->first_ns);
    }
    if (r == 0) {
        sink_text(o->sink, "\"threads\":[");
        for (uint32_t i = 0; i < count; i++)
            put_thread(o, &threads[i], i == 0);
        sink_text(o->sink, "],\n");
        firefox_tables_put(&f->tables, o->sink);
        sink_text(o->sink, "}\n");
    }
    free(threads);
    thread_rows_done(&f->by_thread);
    idmap_done(&f->stacks);
    firefox_tables_done(&f->tables);
    arena_done(&f->arena);
    free(f);
    o->state = NULL;
    return r;
}

static const struct writer writer = {
    .kinds = KIND_SET_ALL,
    .abilities = WRITER_PICTURE | WRITER_CONTEXTS | WRITER_PROCESSES | WRITER_TIMES | WRITER_TYPES,
    .begin = begin,
    .event = add,
    .moment = add_moment,
    .end = end,
};

const struct format format_firefox = {
    .name = "firefox",
    .help = "Firefox Profiler's JSON, for profiler.firefox.com",
    .suffixes = ".firefox.json .profile.json",
    .writer = &writer,
};
