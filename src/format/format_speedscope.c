/*
 * format_speedscope.c - JSON for speedscope: a sampled profile for each value and thread.
 *
 * All profiles share the frames; each frame is there once for its name, source and line. A sample
 * is a stack, outermost frame first, and a weight. Weights are sums, so the order of the samples,
 * and the time axis of the picture, have no meaning. Written only. Layout:
 * docs/format/speedscope.md. Source: speedscope's file-format-schema.json.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/sink.h"
#include "format/format.h"
#include "format/frame_name.h"
#include "format/json_out.h"
#include "format/thread_rows.h"
#include "format/wordset.h"
#include "profile/process_name.h"
#include "profile/process_set.h"
#include "profile/profile.h"

/* A stack with its values. The rows are kept until end() and then grouped by profile. */
struct row {
    enum kind_id kind;
    thread_id thread;
    uint32_t stack; /* number in `stacks` */
    uint64_t value[KIND_VALUES];
};

struct speedscope {
    struct wordset frames; /* { name, source, line + 1 }: strings of the profile */
    struct wordset stacks; /* { numbers of frames from 0, outermost first } */
    struct arena arena;
    struct table rows;            /* struct row */
    struct thread_rows by_thread; /* made in end() */
    uint32_t *stack;
    uint32_t room;
};

static int begin(struct writer_out *o)
{
    struct speedscope *f = calloc(1, sizeof(*f));
    if (!f)
        return -ENOMEM;
    wordset_init(&f->frames);
    wordset_init(&f->stacks);
    arena_init(&f->arena, SIZE_MAX);
    table_init(&f->rows, sizeof(struct row));
    o->state = f;
    return 0;
}

static bool push(struct speedscope *f, uint32_t *depth, string_id name, string_id source,
                 int32_t line)
{
    const uint32_t words[] = {name, source, line > 0 ? (uint32_t)line + 1 : 0};
    uint32_t frame = name ? wordset_add(&f->frames, words, 3) : 0;
    if (*depth == f->room) {
        uint32_t room = f->room ? f->room * 2 : 64;
        uint32_t *stack = realloc(f->stack, room * sizeof(*stack));
        if (!stack)
            return false;
        f->stack = stack;
        f->room = room;
    }
    if (frame)
        f->stack[(*depth)++] = frame - 1;
    return frame != 0;
}

/* The stack of an event. Its object is one more frame; an empty stack is the frame "[no stack]". 0:
 * no memory. */
static uint32_t stack_of(struct writer_out *o, const struct event *event)
{
    struct speedscope *f = o->state;
    const struct profile_trace *trace = profile_trace_at(o->profile, event->trace);
    uint32_t depth = 0;
    bool is_whole = true;
    for (uint32_t i = trace->depth; i > 0 && is_whole; i--) {
        const struct profile_frame *frame = profile_frame_at(o->profile, trace->frames[i - 1]);
        is_whole = push(f, &depth, frame_name_whole(o->profile, o->profile, frame),
                        profile_method_at(o->profile, frame->method)->source, frame->line);
    }
    if (trace->depth == 0)
        is_whole = push(f, &depth, profile_cstring(o->profile, "[no stack]"), 0, 0);
    if (is_whole && (event->klass || event->text))
        is_whole = push(f, &depth, frame_name_object(o->profile, o->profile, event), 0, 0);
    return is_whole ? wordset_add(&f->stacks, f->stack, depth) : 0;
}

static int add(struct writer_out *o, const struct event *event)
{
    struct speedscope *f = o->state;
    thread_id thread = profile_trace_at(o->profile, event->trace)->thread;
    uint32_t stack = stack_of(o, event);
    struct row *row = stack ? table_add(&f->rows, &f->arena) : NULL;
    if (!row)
        return -ENOMEM;
    *row = (struct row){
        .kind = event->kind, .thread = event->thread ? event->thread : thread, .stack = stack};
    memcpy(row->value, event->value, sizeof(row->value));
    return 0;
}

static void put_frames(struct writer_out *o)
{
    struct speedscope *f = o->state;
    for (uint32_t i = 1; i <= wordset_count(&f->frames); i++) {
        const uint32_t *words = wordset_at(&f->frames, i)->words;
        sink_text(o->sink, i > 1 ? ",\n{\"name\":" : "\n{\"name\":");
        json_out_string(o->sink, o->profile, words[0]);
        if (words[1]) {
            sink_text(o->sink, ",\"file\":");
            json_out_string(o->sink, o->profile, words[1]);
        }
        if (words[2])
            sink_printf(o->sink, ",\"line\":%u", words[2] - 1);
        sink_text(o->sink, "}");
    }
}

/* One value of the events of a kind in a thread: a profile of the file. */
struct times {
    enum kind_id kind;
    uint32_t value;
    thread_id thread;
};

static uint64_t value_of(const struct row *row, const struct times *s)
{
    return row->kind == s->kind ? row->value[s->value] : 0;
}

static void put_stack(struct sink *sink, const struct wordset_row *stack)
{
    sink_text(sink, "[");
    for (uint32_t i = 0; i < stack->count; i++)
        sink_printf(sink, i ? ",%u" : "%u", stack->words[i]);
    sink_text(sink, "]");
}

/* "samples" and "weights" are two lists of the same length. */
static void put_lists(struct writer_out *o, const struct times *s)
{
    struct speedscope *f = o->state;
    const struct thread_rows *by = &f->by_thread;
    for (int is_weights = 0; is_weights < 2; is_weights++) {
        const char *before = "\n";
        sink_text(o->sink, is_weights ? "],\"weights\":[" : "\"samples\":[");
        for (uint32_t at = by->first[s->thread]; at < by->first[s->thread + 1]; at++) {
            const struct row *row = table_at(&f->rows, by->rows[at]);
            uint64_t value = value_of(row, s);
            if (value == 0)
                continue;
            sink_text(o->sink, before);
            if (is_weights)
                sink_printf(o->sink, "%llu", (unsigned long long)value);
            else
                put_stack(o->sink, wordset_at(&f->stacks, row->stack));
            before = ",\n";
        }
    }
    sink_text(o->sink, "]}");
}

/* The process of the thread, if there are several, and the thread: "app.Main pid=4711, main
 * tid=1". */
static string_id whose(struct writer_out *o, thread_id id)
{
    const struct profile_thread *thread = id ? profile_thread_at(o->profile, id) : NULL;
    process_id process = profile_process_of(o->profile, id);
    bool has_several = process_set_count(profile_processes(o->profile)) > 1;
    string_id name = process && has_several ? process_name(o->profile, process) : 0;
    char *text = NULL;
    string_id whole = 0;
    if (!thread || profile_thread_is_rest(o->profile, id))
        return name;
    if (asprintf(&text, "%s%s%s tid=%u", name ? profile_string_at(o->profile, name)->bytes : "",
                 name ? ", " : "",
                 thread->name ? profile_string_at(o->profile, thread->name)->bytes : "thread",
                 thread->serial) >= 0)
        whole = profile_cstring(o->profile, text);
    free(text);
    return whole;
}

/* Writes "samples" or "alloc: live bytes", followed by the process and thread if they are known. */
static void put_name(struct writer_out *o, const struct times *s)
{
    const struct kind *type = kind_all[s->kind];
    const char *words = type->values[s->value].words;
    bool has_two = strcmp(type->word, words) != 0;
    string_id of = whose(o, s->thread);
    char *name = NULL;
    int len = asprintf(&name, "%s%s%s%s%s", type->word, has_two ? ": " : "", has_two ? words : "",
                       of ? ", " : "", of ? profile_string_at(o->profile, of)->bytes : "");
    json_out_text(o->sink, len >= 0 ? name : "", len >= 0 ? (size_t)len : 0);
    free(name);
}

static void put_profile(struct writer_out *o, const struct times *s, uint64_t total)
{
    static const char *const units[] = {[KIND_UNIT_COUNT] = "none",
                                        [KIND_UNIT_NS] = "nanoseconds",
                                        [KIND_UNIT_BYTES] = "bytes",
                                        [KIND_UNIT_LEVEL] = "bytes"};
    const struct kind_value *value = &kind_all[s->kind]->values[s->value];
    sink_text(o->sink, "{\"type\":\"sampled\",\"name\":");
    put_name(o, s);
    sink_printf(o->sink, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%llu,\n",
                units[value->unit], (unsigned long long)total);
    put_lists(o, s);
}

/* Which profile is shown when the file is opened: that of the value for which the user asked, in
 * the thread with the largest total. */
struct shown {
    uint32_t count, active;
    uint64_t most;
};

static int put_threads(struct writer_out *o, enum kind_id kind, uint32_t value, struct shown *shown)
{
    struct speedscope *f = o->state;
    thread_id threads = profile_thread_count(o->profile);
    uint64_t *totals = calloc((size_t)threads + 1, sizeof(*totals));
    if (!totals)
        return -ENOMEM;
    for (uint32_t i = 1; i <= f->rows.count; i++) {
        const struct row *row = table_at(&f->rows, i);
        totals[row->thread] += row->kind == kind ? row->value[value] : 0;
    }
    for (thread_id thread = 0; thread <= threads; thread++) {
        if (totals[thread] == 0)
            continue;
        if (kind == o->kind && value == o->value && totals[thread] > shown->most) {
            shown->most = totals[thread];
            shown->active = shown->count;
        }
        sink_text(o->sink, shown->count++ ? ",\n" : "\n");
        put_profile(o, &(struct times){kind, value, thread}, totals[thread]);
    }
    free(totals);
    return 0;
}

static int put_profiles(struct writer_out *o, struct shown *shown)
{
    int r = 0;
    for (int kind = 0; kind < KIND_COUNT; kind++)
        for (uint32_t value = 0; value < kind_value_count(kind) && r == 0; value++) {
            if (o->kinds >> kind & 1 && kind_all[kind]->values[value].unit != KIND_UNIT_LEVEL)
                r = put_threads(o, (enum kind_id)kind, value, shown);
        }
    return r;
}

static int end(struct writer_out *o)
{
    struct speedscope *f = o->state;
    struct shown shown = {0};
    if (!f)
        return 0;
    sink_text(o->sink, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
                       "\"exporter\":\"hprof " HPROF_VERSION "\",\n\"name\":");
    json_out_string(o->sink, o->profile, profile_program(o->profile));
    sink_text(o->sink, ",\n\"shared\":{\"frames\":[");
    put_frames(o);
    sink_text(o->sink, "]},\n\"profiles\":[");
    int r = thread_rows_make(&f->by_thread, &f->rows, offsetof(struct row, thread),
                             profile_thread_count(o->profile));
    if (r == 0)
        r = put_profiles(o, &shown);
    sink_printf(o->sink, "],\n\"activeProfileIndex\":%u}\n", shown.active);
    wordset_done(&f->frames);
    wordset_done(&f->stacks);
    arena_done(&f->arena);
    thread_rows_done(&f->by_thread);
    free(f->stack);
    free(f);
    o->state = NULL;
    return r;
}

static const struct writer writer = {
    .kinds = KIND_SET_ALL,
    .abilities = WRITER_PICTURE | WRITER_PROCESSES,
    .begin = begin,
    .event = add,
    .end = end,
};

const struct format format_speedscope = {
    .name = "speedscope",
    .help = "JSON for speedscope, a profile for each value and thread",
    .suffixes = ".speedscope.json",
    .writer = &writer,
};
