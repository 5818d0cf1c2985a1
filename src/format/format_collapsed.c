/*
 * format_collapsed.c - collapsed stacks: a line for each stack, "outermost;...;innermost COUNT".
 *
 * Flame graph tools read this text. Stacks of one thread become one line if they differ only in
 * line numbers and in how their code ran. If the user asks for it (--tiers), they stay apart
 * by how the code ran, and the ending of a frame says this as in async-profiler: _[0] interpreted,
 * _[1] compiled by C1, _[j] by C2, _[i] inlined. A line may begin with its thread, for example
 * "[main tid=1]", and end with the class of an object, or a monitor. The file does not say what is
 * counted: the counts are read as samples. Layout: docs/format/collapsed.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/feed.h"
#include "base/utf8.h"
#include "base/sink.h"
#include "format/format.h"
#include "format/frame_name.h"
#include "format/java_name.h"
#include "format/left_out.h"
#include "format/textin.h"
#include "format/wordset.h"
#include "profile/frame_list.h"
#include "profile/profile.h"
#include "profile/sums.h"

static const char no_stack[] = "[no stack]", tid[] = " tid=";

enum { ENDING = 4 }; /* the length of each text of frame_name_ending() */

/* Reading */

static bool ends_with(struct textin_span s, const char *end)
{
    size_t len = strlen(end);
    return (size_t)(s.end - s.at) >= len && memcmp(s.end - len, end, len) == 0;
}

static void trim(struct textin_span *line)
{
    textin_skip_blanks(line);
    while (line->end > line->at && (line->end[-1] == ' ' || line->end[-1] == '\r'))
        line->end--;
}

/* Takes the count off a line "STACK COUNT". Returns false if the line has no count. */
static bool take_count(struct textin_span *line, uint64_t *ret_count)
{
    const char *blank;
    struct textin_span number;
    trim(line);
    blank = textin_find_last(*line, " ");
    if (!blank || blank == line->at)
        return false;
    number = (struct textin_span){blank + 1, line->end};
    if (!textin_number(&number, 10, UINT64_MAX, ret_count) || number.at != number.end)
        return false;
    line->end = blank;
    trim(line);
    return true;
}

static int probe(const unsigned char *bytes, size_t len)
{
    const char *end = memchr(bytes, '\n', len);
    struct textin_span line = {(const char *)bytes, end ? end : (const char *)bytes + len};
    uint64_t count;
    return len > 0 && !memchr(line.at, '\0', (size_t)(line.end - line.at)) &&
           take_count(&line, &count);
}

static frame_id read_frame(struct textin *t, struct textin_span s)
{
    enum frame_kind kind = FRAME_JAVA;
    method_id method;
    for (enum frame_kind i = 0; i < FRAME_KINDS; i++) {
        const char *ending = frame_name_ending(i);
        if (ending && s.end - s.at > ENDING && ends_with(s, ending))
            kind = i;
    }
    if (kind != FRAME_JAVA)
        s.end -= ENDING;
    else if (ends_with(s, "_[k]"))
        kind = FRAME_KERNEL;
    else if (!java_name_is(s.at, (size_t)(s.end - s.at)))
        kind = FRAME_NATIVE;
    method = frame_kind_is_java(kind)
                 ? java_name_method(t->profile, s.at, (size_t)(s.end - s.at), 0, 0)
                 : profile_method(t->profile, 0, textin_string(t, s), 0, 0);
    return method ? profile_frame_of(t->profile, kind, method, -1, PROFILE_LINE_NONE) : 0;
}

/* Takes "[NAME tid=NUMBER];" off the front of the line. Returns 0 if the line names no thread. */
static thread_id take_thread(struct textin *t, struct textin_span *line)
{
    const char *end = memchr(line->at, ';', (size_t)(line->end - line->at));
    struct textin_span frame = {line->at, end ? end : line->end}, number;
    const char *at = textin_find_last(frame, tid);
    uint32_t serial;
    thread_id thread;
    if (!end || *frame.at != '[' || !at || at == frame.at || !ends_with(frame, "]"))
        return 0;
    number = (struct textin_span){at + sizeof(tid) - 1, frame.end - 1};
    if (!textin_u4(&number, &serial) || number.at != number.end || serial == 0)
        return 0;
    line->at = end + 1;
    thread = profile_thread_by_serial(t->profile, serial);
    return thread
               ? thread
               : profile_add_thread(t->profile, serial, 0,
                                    textin_string(t, (struct textin_span){frame.at + 1, at}), 0, 0);
}

/* The innermost frame is the last one in a line, but the first one in a trace. */
static trace_id read_stack(struct textin *t, struct textin_span line, thread_id thread)
{
    uint32_t depth = 0;
    if (textin_is(line, no_stack))
        line.end = line.at;
    while (line.at < line.end) {
        const char *semicolon = textin_find_last(line, ";");
        struct textin_span frame = {semicolon ? semicolon + 1 : line.at, line.end};
        frame_id id = frame.at < frame.end ? read_frame(t, frame) : 0;
        if (id && !textin_push(t, depth++, id))
            return 0;
        line.end = semicolon ? semicolon : line.at;
    }
    return profile_trace(t->profile, thread, t->stack.frames, depth);
}

static void read_line(struct textin *t)
{
    struct textin_span line = t->line;
    struct event event = {.kind = KIND_SAMPLE};
    trim(&line);
    if (line.at == line.end || *line.at == '#')
        return;
    if (!take_count(&line, &event.value[0])) {
        textin_fail(t, E_FORMAT, "a line that is not frames, a blank and a count");
        return;
    }
    event.thread = take_thread(t, &line);
    event.trace = read_stack(t, line, event.thread);
    if (event.trace)
        textin_count(t, &event);
}

static int open_collapsed(struct reader_in *in)
{
    struct textin *t = textin_open(in);
    if (!t)
        return -ENOMEM;
    t->end_is_free = true;
    if (!probe(in->feed->bytes, in->feed->len))
        textin_fail(t, E_FORMAT, "the first line is not frames, a blank and a count");
    profile_sums(in->profile, KIND_SAMPLE)->is_measured = true;
    return textin_result(in);
}

static int next(struct reader_in *in)
{
    return textin_read_lines(in, read_line);
}

/* Writing */

/* How many bytes at the front of the text can be written unchanged; in most names all can. */
static size_t plain_len(const char *text, size_t len)
{
    size_t n = 0;
    while (n < len && text[n] >= ' ' && text[n] < '\x7f' && text[n] != ';')
        n++;
    return n;
}

/* Writes the text as UTF-8 that all tools can read. A semicolon would end the frame, so it becomes
 * a colon. */
static void put_plain(struct sink *s, const char *text, size_t len)
{
    unsigned char bytes[UTF8_BYTES];
    size_t n, taken = plain_len(text, len);
    sink_bytes(s, text, taken);
    for (text += taken, len -= taken; len > 0; text += taken, len -= taken) {
        taken = utf8_next(text, len, bytes, &n);
        if (*bytes == ';')
            *bytes = ':';
        else if (*text == '\n' || *text == '\r' || *text == '\t')
            *bytes = ' ';
        sink_bytes(s, bytes, n);
    }
}

static void put_text(struct writer_out *o, const struct profile_string *s)
{
    if (s)
        put_plain(o->sink, s->bytes, s->len);
}

static void put_string(struct writer_out *o, string_id id)
{
    put_text(o, id ? profile_string_at(o->profile, id) : NULL);
}

/* Writes java.lang.Object as java/lang/Object, or unchanged if the user asks for dots. */
static void put_class(struct writer_out *o, string_id name)
{
    const struct profile_string *s = name ? profile_string_at(o->profile, name) : NULL;
    for (const char *at = s ? s->bytes : NULL, *end = s ? at + s->len : NULL; at < end;) {
        const char *dot = memchr(at, '.', (size_t)(end - at));
        size_t n = (size_t)((dot ? dot : end) - at);
        put_plain(o->sink, at, n);
        if (dot)
            sink_u1(o->sink, o->has_dots ? '.' : '/');
        at += n + (dot != NULL);
    }
}

static void put_function(struct writer_out *o, const struct profile_method *m)
{
    const struct frame_name name = frame_name(o->profile, m);
    put_text(o, name.library);
    if (name.library)
        sink_u1(o->sink, '+');
    put_text(o, name.function);
}

static string_id class_name(struct profile *p, class_id klass)
{
    return klass ? profile_class_at(p, klass)->name : 0;
}

static void put_frame(struct writer_out *o, frame_id id)
{
    const struct profile_frame *f = profile_frame_at(o->profile, id);
    const struct profile_method *m = profile_method_at(o->profile, f->method);
    const char *ending = o->with_tiers ? frame_name_ending(f->kind) : NULL;
    if (!frame_kind_is_java(f->kind)) {
        put_function(o, m);
        return;
    }
    put_class(o, class_name(o->profile, m->klass));
    if (m->klass)
        sink_u1(o->sink, '.');
    put_string(o, m->name);
    if (ending)
        sink_text(o->sink, ending);
}

/* The different stacks so far, with their sums. */
struct collapsed {
    struct wordset frames; /* { kind, class, name }: equal in frames that are written alike */
    struct table first;    /* frame_id by number in `frames`: the one that is written for all */
    struct wordset stacks; /* { thread, class, text, frames from the outermost } */
    struct table values;   /* uint64_t by number in `stacks` */
    struct arena arena;
    struct table
        same; /* frame_id by frame_id: the one that is written; 0: not looked up, or no room */
    struct frame_list words;
};

enum { WORD_THREAD, WORD_CLASS, WORD_TEXT, WORDS_FIRST };

static int begin(struct writer_out *o)
{
    struct collapsed *c = calloc(1, sizeof(*c));
    o->state = c;
    if (!c)
        return -ENOMEM;
    wordset_init(&c->frames);
    wordset_init(&c->stacks);
    arena_init(&c->arena, SIZE_MAX);
    if (o->room.bytes > 0) {
        c->stacks.arena.budget = o->room.bytes / 2;
        c->frames.arena.budget = o->room.bytes / 4;
        c->arena.budget = o->room.bytes / 4;
    }
    table_init(&c->same, sizeof(frame_id));
    table_init(&c->first, sizeof(frame_id));
    table_init(&c->values, sizeof(uint64_t));
    return 0;
}

/* The first frame among those that are written like this one. 0: no memory. */
static frame_id find_same(struct writer_out *o, frame_id id)
{
    struct collapsed *c = o->state;
    const struct profile_frame *f = profile_frame_at(o->profile, id);
    const struct profile_method *m = profile_method_at(o->profile, f->method);
    bool is_java = frame_kind_is_java(f->kind);
    bool is_named = is_java || frame_name(o->profile, m).library; /* also by its class or library */
    const uint32_t words[] = {o->with_tiers ? f->kind : frame_kind_plain(f->kind),
                              is_named ? class_name(o->profile, m->klass) : 0, m->name};
    uint32_t number = wordset_add(&c->frames, words, 3);
    frame_id *first = number ? table_reach(&c->first, &c->arena, number) : NULL;
    if (!first)
        return 0;
    if (!*first)
        *first = id;
    return *first;
}

static frame_id same(struct writer_out *o, frame_id id)
{
    struct collapsed *c = o->state;
    frame_id *first = table_reach(&c->same, &c->arena, id);
    if (!first)
        return find_same(o, id);
    if (!*first)
        *first = find_same(o, id);
    return *first;
}

/* Errors: 0, -ENOMEM. */
static int add_stack(struct writer_out *o, const struct event *event)
{
    struct collapsed *c = o->state;
    const struct profile_trace *trace = profile_trace_at(o->profile, event->trace);
    if (event->value[o->value] == 0)
        return 0;
    if (!frame_list_reserve(&c->words, WORDS_FIRST + trace->depth))
        return -ENOMEM;
    c->words.frames[WORD_THREAD] = event->thread ? event->thread : trace->thread;
    c->words.frames[WORD_CLASS] = class_name(o->profile, event->klass);
    c->words.frames[WORD_TEXT] = event->text;
    for (uint32_t i = 0; i < trace->depth; i++) {
        frame_id frame = same(o, trace->frames[trace->depth - 1 - i]);
        if (!frame)
            return -ENOMEM;
        c->words.frames[WORDS_FIRST + i] = frame;
    }
    uint32_t stack = wordset_add(&c->stacks, c->words.frames, WORDS_FIRST + trace->depth);
    uint64_t *value = stack ? table_reach(&c->values, &c->arena, stack) : NULL;
    if (!value)
        return -ENOMEM;
    *value += event->value[o->value];
    return 0;
}

static int add_event(struct writer_out *o, const struct event *event)
{
    int r = add_stack(o, event);
    if (r != -ENOMEM || o->room.bytes == 0)
        return r;
    left_out_add(o, event);
    return 0;
}

static void put_thread(struct writer_out *o, thread_id thread)
{
    const struct profile_thread *t = profile_thread_at(o->profile, thread);
    sink_u1(o->sink, '[');
    put_string(o, t->name);
    sink_printf(o->sink, "%s%u]", tid, t->serial);
}

static void put_line(struct writer_out *o, const struct wordset_row *stack, uint64_t value)
{
    const char *before = "";
    if (stack->words[WORD_THREAD]) {
        put_thread(o, stack->words[WORD_THREAD]);
        before = ";";
    }
    if (stack->count == WORDS_FIRST)
        sink_printf(o->sink, "%s%s", before, no_stack);
    for (uint32_t i = WORDS_FIRST; i < stack->count; i++, before = ";") {
        sink_text(o->sink, before);
        put_frame(o, stack->words[i]);
    }
    if (stack->words[WORD_CLASS] || stack->words[WORD_TEXT]) {
        sink_u1(o->sink, ';');
        put_class(o, stack->words[WORD_CLASS]);
        put_string(o, stack->words[WORD_TEXT]);
        if (o->with_tiers)
            sink_text(o->sink, frame_name_ending(FRAME_INLINED));
    }
    sink_printf(o->sink, " %llu\n", (unsigned long long)value);
}

static int end(struct writer_out *o)
{
    struct collapsed *c = o->state;
    if (!c)
        return 0;
    for (uint32_t i = 1; i <= c->values.count; i++)
        if (*(const uint64_t *)table_at(&c->values, i) > 0)
            put_line(o, wordset_at(&c->stacks, i), *(const uint64_t *)table_at(&c->values, i));
    if (o->room.left_out[o->value] > 0)
        sink_printf(o->sink, "%s %llu\n", left_out_name,
                    (unsigned long long)o->room.left_out[o->value]);
    wordset_done(&c->frames);
    wordset_done(&c->stacks);
    arena_done(&c->arena);
    frame_list_done(&c->words);
    free(c);
    o->state = NULL;
    return 0;
}

static const struct reader reader = {
    .probe = probe,
    .open = open_collapsed,
    .next = next,
    .close = textin_close,
    .abilities = READER_FOLDABLE,
};

static const struct writer writer = {
    .abilities = WRITER_PICTURE,
    .begin = begin,
    .event = add_event,
    .end = end,
};

const struct format format_collapsed = {
    .name = "collapsed",
    .help = "collapsed stacks, a line each: flame graph tools, async-profiler",
    .suffixes = ".collapsed .folded",
    .reader = &reader,
    .writer = &writer,
};
