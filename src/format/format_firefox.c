/*
 * format_firefox.c - a processed profile of the Firefox Profiler, one JSON object.
 *
 * The value that is asked for, or the first, is that of the samples; events of other kinds are
 * markers with their stacks. What the model keeps are sums without times, so each row stands at a
 * millisecond of its own, and weighs what it sums. Written only. Layout: docs/format/firefox.md.
 * Source: Firefox Profiler, src/types/profile.ts, version 70 of the processed profile.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "base/sink.h"
#include "format/firefox_tables.h"
#include "format/format.h"
#include "format/json_out.h"
#include "format/thread_rows.h"
#include "profile/profile.h"

enum {
    PROCESSED_VERSION = 70,
    GECKO_VERSION = 36,
    NS_PER_MS = 1000000,
    THREADS_SHOWN = 12,
};

/* A row of the model. */
struct row {
    enum event_kind kind;
    thread_id thread; /* 0: unknown */
    uint32_t stack;
    uint64_t value[EVENT_VALUES];
};

struct firefox {
    struct firefox_tables tables;
    struct arena arena;
    struct table rows;
    struct thread_rows by_thread; /* in the end */
    uint32_t words[EVENT_KINDS];  /* strings of the words of kinds that became markers */
};

/* A thread of the file: its number there is its place in a list of these. */
struct thread {
    thread_id id;
    uint64_t rows, total; /* of the samples */
};

static int begin(struct format_out *o)
{
    struct firefox *f = calloc(1, sizeof(*f));

    if (!f)
        return -ENOMEM;
    firefox_tables_init(&f->tables, o->profile);
    arena_init(&f->arena, SIZE_MAX);
    table_init(&f->rows, sizeof(struct row));
    o->state = f;
    return 0;
}

static int add(struct format_out *o, const struct event *event)
{
    struct firefox *f = o->state;
    thread_id thread = profile_trace_at(o->profile, event->trace)->thread;
    struct row row = {.kind = event->kind, .thread = event->thread ? event->thread : thread};

    memcpy(row.value, event->value, sizeof(row.value));
    if (event->kind == o->kind && event->value[o->value] == 0)
        return 0;
    row.stack = firefox_tables_stack(&f->tables, event);
    if (event->kind != o->kind && !f->words[event->kind])
        f->words[event->kind] = firefox_tables_string(
            &f->tables, profile_cstring(o->profile, event_types[event->kind].word));
    struct row *kept = row.stack ? table_add(&f->rows, &f->arena) : NULL;
    if (!kept)
        return -ENOMEM;
    *kept = row;
    return 0;
}

static const struct row *row_at(const struct firefox *f, uint32_t i)
{
    return table_at(&f->rows, i);
}

/* Time in milliseconds, as the profiler wants it, other values as they are. */
static void put_value(struct sink *s, enum value type, uint64_t value)
{
    if (event_value_types[type].unit == VALUE_IS_NS)
        sink_printf(s, "%llu.%06llu", (unsigned long long)(value / NS_PER_MS),
                    (unsigned long long)(value % NS_PER_MS));
    else
        sink_printf(s, "%llu", (unsigned long long)value);
}

static void put_samples(struct format_out *o, const struct thread *thread)
{
    static const char *const types[] = {[VALUE_IS_COUNT] = "samples",
                                        [VALUE_IS_NS] = "tracing-ms",
                                        [VALUE_IS_BYTES] = "bytes",
                                        [VALUE_IS_LEVEL] = "bytes"};
    static const char *const columns[] = {"stack", "time", "weight"};
    struct firefox *f = o->state;
    const struct thread_rows *by = &f->by_thread;
    enum value type = event_types[o->kind].values[o->value];

    sink_text(o->sink, ",\n\"samples\":{");
    for (int column = 0; column < 3; column++) {
        const char *before = "";

        sink_printf(o->sink, "\"%s\":[", columns[column]);
        for (uint32_t at = by->first[thread->id]; at < by->first[thread->id + 1]; at++) {
            uint32_t i = by->rows[at];
            const struct row *row = row_at(f, i);

            if (row->kind != o->kind)
                continue;
            sink_text(o->sink, before);
            if (column == 2)
                put_value(o->sink, type, row->value[o->value]);
            else
                sink_printf(o->sink, "%u", column == 0 ? row->stack - 1 : i - 1);
            before = ",";
        }
        sink_text(o->sink, "],");
    }
    sink_printf(o->sink, "\"weightType\":\"%s\",\"length\":%llu}",
                types[event_value_types[type].unit], (unsigned long long)thread->rows);
}

/* The fields of a kind's markers are called by the number of the value. */
static void put_marker(struct format_out *o, const struct row *row, uint32_t time)
{
    sink_printf(o->sink, "\n{\"type\":\"%s\"", event_types[row->kind].word);
    for (uint32_t v = 0; v < event_values(row->kind); v++) {
        sink_printf(o->sink, ",\"value%u\":", v);
        put_value(o->sink, event_types[row->kind].values[v], row->value[v]);
    }
    sink_printf(o->sink, ",\"cause\":{\"time\":%u,\"stack\":%u}}", time, row->stack - 1);
}

enum column { DATA, NAME, START, END, PHASE, CATEGORY, COLUMNS };

static void put_cell(struct format_out *o, enum column column, uint32_t i)
{
    const struct firefox *f = o->state;
    const struct row *row = row_at(f, i);

    switch (column) {
    case DATA:
        put_marker(o, row, i - 1);
        break;
    case NAME:
        sink_printf(o->sink, "%u", f->words[row->kind] - 1);
        break;
    case START:
        sink_printf(o->sink, "%u", i - 1);
        break;
    case END:
        sink_text(o->sink, "null");
        break;
    default:
        sink_text(o->sink, "0");
    }
}

/* At one moment each: the phase of those is 0. */
static void put_markers(struct format_out *o, const struct thread *thread)
{
    static const char *const columns[COLUMNS] = {"data",    "name",  "startTime",
                                                 "endTime", "phase", "category"};
    struct firefox *f = o->state;
    const struct thread_rows *by = &f->by_thread;
    uint32_t count = 0;

    sink_text(o->sink, ",\n\"markers\":{");
    for (int column = 0; column < COLUMNS; column++) {
        sink_printf(o->sink, "\"%s\":[", columns[column]);
        count = 0;
        for (uint32_t at = by->first[thread->id]; at < by->first[thread->id + 1]; at++) {
            if (row_at(f, by->rows[at])->kind == o->kind)
                continue;
            sink_text(o->sink, count++ ? "," : "");
            put_cell(o, (enum column)column, by->rows[at]);
        }
        sink_text(o->sink, "],");
    }
    sink_printf(o->sink, "\"length\":%u}", count);
}

static void put_thread(struct format_out *o, const struct thread *thread, bool is_first)
{
    const struct profile_thread *row =
        thread->id ? profile_thread_at(o->profile, thread->id) : NULL;
    const char *name = row && row->name ? profile_string_at(o->profile, row->name)->bytes : NULL;

    sink_printf(o->sink,
                "%s{\"processType\":\"default\",\"processName\":", is_first ? "\n" : ",\n");
    json_out_string(o->sink, o->profile, profile_program(o->profile));
    sink_text(o->sink, ",\"processStartupTime\":0,\"processShutdownTime\":null,\"registerTime\":0,"
                       "\"unregisterTime\":null,\"pausedRanges\":[],\"showMarkersInTimeline\":true,"
                       "\"name\":");
    name = name ? name : row ? "thread" : "all threads";
    json_out_text(o->sink, name, strlen(name));
    sink_printf(o->sink, ",\"isMainThread\":%s,\"pid\":\"1\",\"tid\":%u",
                is_first ? "true" : "false", row ? row->serial : 0);
    put_samples(o, thread);
    put_markers(o, thread);
    sink_text(o->sink, "}");
}

/* Of the kinds that became markers. */
static void put_schemas(struct format_out *o)
{
    static const char *const formats[] = {[VALUE_IS_COUNT] = "integer",
                                          [VALUE_IS_NS] = "milliseconds",
                                          [VALUE_IS_BYTES] = "bytes",
                                          [VALUE_IS_LEVEL] = "bytes"};
    const struct firefox *f = o->state;
    const char *before = "";

    sink_text(o->sink, ",\n\"markerSchema\":[");
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        const struct event_type *type = &event_types[kind];

        if (!f->words[kind])
            continue;
        sink_printf(o->sink,
                    "%s{\"name\":\"%s\",\"tableLabel\":\"%s\",\"display\":[\"marker-chart\","
                    "\"marker-table\"],\"fields\":[",
                    before, type->word, type->title);
        for (uint32_t v = 0; v < event_values((enum event_kind)kind); v++)
            sink_printf(o->sink, "%s{\"key\":\"value%u\",\"label\":\"%s\",\"format\":\"%s\"}",
                        v ? "," : "", v, event_value_types[type->values[v]].words,
                        formats[event_value_types[type->values[v]].unit]);
        sink_text(o->sink, "]}");
        before = ",";
    }
    sink_text(o->sink, "]");
}

static void put_meta(struct format_out *o, uint32_t count)
{
    const char *before = "";

    sink_text(o->sink, "{\"meta\":{\"interval\":1,\"startTime\":0,\"processType\":0,\"product\":");
    json_out_string(o->sink, o->profile,
                    profile_program(o->profile) ? profile_program(o->profile)
                                                : profile_cstring(o->profile, "Java"));
    sink_printf(o->sink,
                ",\"stackwalk\":1,\"version\":%d,\"preprocessedProfileVersion\":%d,"
                "\"symbolicated\":true,\"importedFrom\":\"hprof " HPROF_VERSION "\","
                "\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,"
                "\"keepProfileThreadOrder\":true,\n",
                GECKO_VERSION, PROCESSED_VERSION);
    firefox_tables_put_categories(o->sink);
    put_schemas(o);
    sink_text(o->sink, ",\n\"initialVisibleThreads\":[");
    for (uint32_t i = 0; i < count && i < THREADS_SHOWN; i++) {
        sink_printf(o->sink, "%s%u", before, i);
        before = ",";
    }
    sink_printf(o->sink, "],\"initialSelectedThreads\":[%s]", count ? "0" : "");
    sink_text(o->sink, ",\"extra\":[{\"label\":\"Samples\",\"entries\":[{\"label\":\"are of\","
                       "\"format\":\"string\",\"value\":");
    const struct event_type *type = &event_types[o->kind];
    const char *words = event_value_types[type->values[o->value]].words;
    sink_printf(o->sink, "\"%s: %s\"}]}]},\n\"libs\":[],\n", type->word, words);
}

static int by_total(const void *left, const void *right)
{
    const struct thread *x = left, *y = right;

    if (x->total != y->total)
        return x->total < y->total ? 1 : -1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Those that have a row, most of the value first. NULL: no memory. */
static struct thread *find_threads(struct format_out *o, uint32_t *ret_count)
{
    struct firefox *f = o->state;
    uint32_t all = profile_thread_count(o->profile) + 1, count = 0;
    struct thread *threads = calloc(all, sizeof(*threads));
    bool *is_there = calloc(all, sizeof(*is_there));

    for (uint32_t i = 1; threads && is_there && i <= f->rows.count; i++) {
        const struct row *row = row_at(f, i);

        is_there[row->thread] = true;
        if (row->kind == o->kind) {
            threads[row->thread].rows++;
            threads[row->thread].total += row->value[o->value];
        }
    }
    for (thread_id id = 0; threads && is_there && id < all; id++) {
        threads[id].id = id;
        if (is_there[id])
            threads[count++] = threads[id];
    }
    if (threads && is_there)
        qsort(threads, count, sizeof(*threads), by_total);
    free(is_there);
    *ret_count = count;
    return threads;
}

static int end(struct format_out *o)
{
    struct firefox *f = o->state;
    uint32_t count;

    if (!f)
        return 0;
    struct thread *threads = find_threads(o, &count);
    int r = thread_rows_make(&f->by_thread, &f->rows, offsetof(struct row, thread),
                             profile_thread_count(o->profile));
    if (!threads)
        r = -ENOMEM;
    if (r == 0) {
        put_meta(o, count);
        sink_text(o->sink, "\"threads\":[");
        for (uint32_t i = 0; i < count; i++)
            put_thread(o, &threads[i], i == 0);
        sink_text(o->sink, "],\n");
        firefox_tables_put(&f->tables, o->sink);
        sink_text(o->sink, "}\n");
    }
    free(threads);
    thread_rows_done(&f->by_thread);
    firefox_tables_done(&f->tables);
    arena_done(&f->arena);
    free(f);
    o->state = NULL;
    return r;
}

const struct format format_firefox = {
    .name = "firefox",
    .help = "Firefox Profiler's JSON, for profiler.firefox.com",
    .suffixes = ".firefox.json .profile.json",
    .is_picture = true,
    .kinds = FORMAT_KINDS_ALL,
    .begin = begin,
    .event = add,
    .end = end,
};
