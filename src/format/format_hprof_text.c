/*
 * format_hprof_text.c - HPROF text files: reads java.hprof.txt of hprof and of the original agent,
 * and writes any profile as such a file.
 *
 * Threads, traces, the quality area and the tables are read. Several tables of one kind add up, but
 * the last SITES table and the last MONITOR DUMP replace the earlier ones. Only the first line of a
 * heap dump is read. Lines of other records are skipped. Layout: docs/format/hprof-text.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <string.h>
#include "base/err.h"
#include "base/feed.h"
#include "format/format.h"
#include "format/hprof_file.h"
#include "format/hprof_out.h"
#include "format/hprof_save.h"
#include "format/hprof_text.h"
#include "format/hprof_text_in.h"
#include "format/textin.h"
#include "profile/sieve.h"

/* A name may contain quotes, so the fields are found from the end of the line. */
static void read_thread_start(struct textin *t, struct textin_span s)
{
    static const char group_field[] = "\", group=\"";
    uint64_t object;
    uint32_t serial;
    if (!textin_take(&s, "(obj=") || !textin_number(&s, 16, UINT32_MAX, &object) ||
        !textin_take(&s, ", id = ") || !textin_u4(&s, &serial) || !textin_take(&s, ", name=\"") ||
        s.end - s.at < 2 || memcmp(s.end - 2, "\")", 2) != 0) {
        textin_fail(t, E_FORMAT, "a THREAD START that is not (obj=, id =, name=, group=)");
        return;
    }
    s.end -= 2;
    const char *middle = textin_find_last(s, group_field);
    struct textin_span group = {s.end, s.end};
    if (middle) {
        group.at = middle + sizeof(group_field) - 1;
        s.end = middle;
    }
    if (profile_thread_by_serial(t->profile, serial) == 0)
        profile_add_thread(t->profile, serial, (uint32_t)object, textin_string(t, s),
                           textin_string(t, group), 0);
}

static void read_thread_end(struct textin *t, struct textin_span s)
{
    uint32_t serial;
    if (!textin_take(&s, "(id = ") || !textin_u4(&s, &serial) || !textin_take(&s, ")")) {
        textin_fail(t, E_FORMAT, "a THREAD END that is not (id =)");
        return;
    }
    thread_id thread = hprof_text_in_thread(t, serial);
    if (thread != 0)
        profile_end_thread(t->profile, thread);
}

/* CLASS.METHOD(SOURCE:LINE), read from its end, because a method's name may contain a
 * parenthesis. */
static frame_id read_frame(struct textin *t, struct textin_span s)
{
    const char *colon = textin_find_last(s, ":");
    struct textin_span left = {s.at, colon};
    const char *open = colon ? textin_find_last(left, "(") : NULL;
    if (!open || s.end[-1] != ')') {
        textin_fail(t, E_FORMAT, "a frame that is not CLASS.METHOD(SOURCE:LINE)");
        return 0;
    }
    struct textin_span number = {colon + 1, s.end - 1};
    uint64_t line;
    bool has_line = textin_number(&number, 10, INT32_MAX, &line);
    struct textin_span source = {open + 1, colon};
    string_id source_name = textin_is(source, "<Unknown Source>") ? 0 : textin_string(t, source);
    left.end = open;
    method_id method = textin_method(t, left, 0, source_name);
    if (method == 0)
        return 0;
    return profile_frame_of(t->profile, hprof_file_frame_kind(t->profile, method), method, -1,
                            has_line ? (int32_t)line : PROFILE_LINE_NONE);
}

static void read_trace(struct textin *t, struct textin_span s)
{
    uint32_t serial;
    uint32_t thread_serial = 0;
    if (!textin_u4(&s, &serial) || !textin_take(&s, ":")) {
        textin_fail(t, E_FORMAT, "a TRACE without a serial number");
        return;
    }
    if (textin_take(&s, " (thread=") && !textin_u4(&s, &thread_serial)) {
        textin_fail(t, E_FORMAT, "a TRACE with a thread that is no number");
        return;
    }
    uint32_t depth = 0;
    bool is_read = hprof_file_passes(t->sieve, serial);
    while (textin_next(t)) {
        struct textin_span line = t->line;
        /* A tab, or the blanks that a terminal shows for a tab. */
        if (!textin_take(&line, "\t") && !textin_take(&line, "        ")) {
            textin_put_back(t);
            break;
        }
        if (!is_read || textin_is(line, "<empty>"))
            continue;
        frame_id frame = read_frame(t, line);
        if (frame != 0 && textin_push(t, depth, frame))
            depth++;
    }
    if (is_read && hprof_file_trace(t->file, serial) == 0)
        hprof_file_add_trace(t->file, serial, hprof_text_in_thread(t, thread_serial),
                             t->stack.frames, depth);
}

/* Reads lines of "  name = count" up to the first line that does not begin with two blanks. */
static void read_quality(struct textin *t)
{
    while (textin_next(t)) {
        struct textin_span s = t->line;
        if (!textin_take(&s, "  ")) {
            textin_put_back(t);
            return;
        }
        struct textin_span name = s;
        textin_skip_word(&s);
        name.end = s.at;
        uint64_t count;
        string_id id = 0;
        if (textin_take(&s, " = ") && textin_number(&s, 10, UINT64_MAX, &count))
            id = textin_string(t, name);
        if (id != 0)
            profile_set_quality(t->profile, profile_string_at(t->profile, id)->bytes, count);
    }
}

static void read_quality_block(struct textin *t, struct textin_span rest_of_line)
{
    (void)rest_of_line;
    read_quality(t);
}

static void read_prologue(struct textin *t)
{
    while (textin_next(t)) {
        if (textin_starts_with(t->line, "--------"))
            return;
        struct textin_span line = t->line;
        if (textin_take(&line, HPROF_TEXT_PROGRAM))
            profile_set_program(t->profile, textin_string(t, line));
        if (textin_starts_with(t->line, "  hprof quality"))
            read_quality(t);
    }
    textin_fail(t, E_TRUNCATED, "the file ends before the line of dashes");
}

/* "(123 objects, 4567 bytes) DATE". The contents of the dump are for readers of heap dumps. */
static void read_heap_dump(struct textin *t, struct textin_span s)
{
    struct hprof_file *f = t->file;
    uint64_t objects, bytes;
    f->heap_dumps++;
    if (textin_take(&s, "(") && textin_column(&s, &objects) && textin_take(&s, " objects, ") &&
        textin_column(&s, &bytes)) {
        f->heap_objects = objects;
        f->heap_bytes = bytes;
    }
}

#define MONITOR_DUMP_HEAD "MONITOR DUMP BEGIN"

/* One row for each record that is read: the words with which its line begins. */
static const struct record {
    const char *words;
    void (*read)(struct textin *t, struct textin_span rest_of_line);
} records[] = {
    {"THREAD START ", read_thread_start},
    {"THREAD END ", read_thread_end},
    {"TRACE ", read_trace},
    {HPROF_TEXT_IN_EXACT, hprof_text_in_exact},
    {HPROF_TEXT_IN_OLD, hprof_text_in_old},
    {HPROF_TEXT_EVENTS, hprof_text_in_events},
    {MONITOR_DUMP_HEAD, hprof_text_in_monitors},
    {"HEAP DUMP BEGIN ", read_heap_dump},
    {"  hprof quality", read_quality_block}, /* in a stream; a file has them in the prologue */
};

/* The reader of a kind's table, behind its title and BEGIN; NULL: the table begins in another
 * way. */
static void (*const tables[KIND_TEXT_LAYOUTS])(struct textin *t, enum kind_id kind,
                                               struct textin_span rest_of_line) = {
    [KIND_TEXT_SAMPLES] = hprof_text_in_samples,     [KIND_TEXT_TIMES] = hprof_text_in_times,
    [KIND_TEXT_ENTERS] = hprof_text_in_monitor_time, [KIND_TEXT_CLASSES] = hprof_text_in_histo,
    [KIND_TEXT_SITES] = hprof_text_in_sites,
};

static const char head[] = "JAVA PROFILE 1.0.1, created ";

/* A file of cpu=old has no prologue. It begins with its table or with a MONITOR DUMP. */
static int probe(const unsigned char *bytes, size_t len)
{
    const struct textin_span file = {(const char *)bytes, (const char *)bytes + len};
    return textin_starts_with(file, head) || textin_starts_with(file, HPROF_TEXT_IN_OLD) ||
                   textin_starts_with(file, MONITOR_DUMP_HEAD)
               ? 2
               : 0;
}

static void read_line(struct textin *t)
{
    for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++) {
        struct textin_span line = t->line;
        if (textin_take(&line, records[i].words)) {
            records[i].read(t, line);
            return;
        }
    }
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        const struct kind_text *text = &kind_all[kind]->text;
        struct textin_span line = t->line;
        if (tables[text->layout] && textin_take(&line, text->title) &&
            textin_take(&line, " BEGIN ")) {
            tables[text->layout](t, (enum kind_id)kind, line);
            return;
        }
    }
}

static int open_text(struct reader_in *in)
{
    struct textin *t = textin_open(in);
    if (!t)
        return -ENOMEM;
    t->file = hprof_file_attach(in->profile, in->sieve);
    if (!t->file)
        textin_fail(t, -ENOMEM, NULL);
    else if (!probe(in->feed->bytes, in->feed->len))
        textin_fail(t, E_FORMAT, "the first line is not that of an HPROF text file");
    else if (textin_starts_with(t->rest, head))
        read_prologue(t);
    return textin_result(in);
}

static int next(struct reader_in *in)
{
    return textin_read_lines(in, read_line);
}

static int begin(struct writer_out *o)
{
    return hprof_save_begin(o, &hprof_text_out);
}

static const struct reader reader = {
    .probe = probe,
    .open = open_text,
    .next = next,
    .close = textin_close,
    .abilities = READER_SIEVED,
};

static const struct writer writer = {
    .kinds = KIND_SET_ALL,
    .begin = begin,
    .event = hprof_save_event,
    .end = hprof_save_end,
};

const struct format format_hprof_text = {
    .name = "hprof-text",
    .help = "HPROF text: java.hprof.txt of hprof and of the JDK 8 agent",
    .suffixes = ".hprof.txt .txt",
    .reader = &reader,
    .writer = &writer,
};
