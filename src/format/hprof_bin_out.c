/*
 * hprof_bin_out.c - writes java.hprof, the binary form.
 *
 * A file is a header, then records: tag, microseconds, length and body, all big-endian. Identifiers
 * have four bytes, or eight if heap dumps need them. A row is written before the first record that
 * refers to it. See docs/format/hprof-binary.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/sink.h"
#include "format/hprof_bin.h"
#include "format/hprof_bin_sites.h"
#include "format/hprof_out.h"
#include "format/hprof_serial.h"
#include "format/hprof_sums.h"
#include "profile/tally.h"

enum {
    CONTROL_HEAP = 1,
    CONTROL_CPU_SAMPLES = 2,
};

/* The first digit of an identifier says which table it belongs to. Text files show objects with the
 * same numbers. */
static const uint32_t string_base = 0xa0000000u;
static const uint32_t frame_base = 0x70000000u;

static uint32_t id_of_string(string_id id)
{
    return id ? string_base | id : 0;
}

static void need_string(struct hprof_out *o, string_id id)
{
    if (id == 0 || !row_marks_set(&o->marks, ROW_MARKS_STRING, id))
        return;
    const struct profile_string *s = profile_string_at(o->profile, id);
    hprof_bin_head(o, HPROF_BIN_UTF8, o->config.id_bytes + s->len);
    hprof_bin_id(o, id_of_string(id));
    sink_bytes(o->sink, s->bytes, s->len);
}

void hprof_bin_out_class(struct hprof_out *o, class_id klass, uint64_t object)
{
    const struct profile_class *c = profile_class_at(o->profile, klass);
    if (row_marks_class(&o->marks, klass))
        return;
    row_marks_set_class(&o->marks, klass, object);
    need_string(o, c->name);
    hprof_bin_head(o, HPROF_BIN_LOAD_CLASS, 4 + o->config.id_bytes + 4 + o->config.id_bytes);
    sink_u4(o->sink, hprof_serial_class(o->profile, klass));
    hprof_bin_id(o, object);
    sink_u4(o->sink, HPROF_SERIAL_TRACE_SYSTEM);
    hprof_bin_id(o, id_of_string(c->name));
}

static void bin_load_class(struct writer_out *w, class_id klass, uint64_t object)
{
    hprof_bin_out_class(w->state, klass, object);
}

/* Frames may still name the class, so its number stays in use. */
static void bin_unload_class(struct writer_out *w, class_id klass)
{
    struct hprof_out *o = w->state;
    hprof_bin_head(o, HPROF_BIN_UNLOAD_CLASS, 4);
    sink_u4(o->sink, hprof_serial_class(o->profile, klass));
}

static void need_frame(struct hprof_out *o, frame_id id)
{
    if (!row_marks_set(&o->marks, ROW_MARKS_FRAME, id))
        return;
    const struct profile_frame *f = profile_frame_at(o->profile, id);
    const struct profile_method *m = profile_method_at(o->profile, f->method);
    if (m->klass != 0)
        hprof_bin_class(o, m->klass);
    need_string(o, m->name);
    need_string(o, m->descriptor);
    need_string(o, m->source);
    hprof_bin_head(o, HPROF_BIN_FRAME, 4 * o->config.id_bytes + 4 + 4);
    hprof_bin_id(o, frame_base | id);
    hprof_bin_id(o, id_of_string(m->name));
    hprof_bin_id(o, id_of_string(m->descriptor));
    hprof_bin_id(o, id_of_string(m->source));
    sink_u4(o->sink, hprof_serial_class(o->profile, m->klass));
    int32_t line = f->line >= 0 && o->config.print_lines ? f->line : PROFILE_LINE_NONE;
    sink_u4(o->sink, (uint32_t)line);
}

static void need_trace(struct hprof_out *o, trace_id id)
{
    if (!row_marks_set(&o->marks, ROW_MARKS_TRACE, id))
        return;
    const struct profile_trace *t = profile_trace_at(o->profile, id);
    for (uint32_t i = 0; i < t->depth; i++)
        need_frame(o, t->frames[i]);
    uint32_t thread = 0;
    if (t->thread != 0 && (o->config.print_threads || o->config.names_threads))
        thread = profile_thread_at(o->profile, t->thread)->serial;
    hprof_bin_head(o, HPROF_BIN_TRACE, 12 + t->depth * o->config.id_bytes);
    sink_u4(o->sink, hprof_serial_trace(o->profile, id));
    sink_u4(o->sink, thread);
    sink_u4(o->sink, t->depth);
    for (uint32_t i = 0; i < t->depth; i++)
        hprof_bin_id(o, frame_base | t->frames[i]);
}

static void put_program(struct hprof_out *o, const struct profile_string *name)
{
    char *text = NULL;
    int len = asprintf(&text, "%s%s", HPROF_BIN_PROGRAM, name->bytes);
    if (len >= 0)
        hprof_bin_note(o, text, (size_t)len);
    free(text);
}

static void put_controls(struct hprof_out *o)
{
    hprof_bin_head(o, HPROF_BIN_CONTROL_SETTINGS, 4 + 2);
    sink_u4(o->sink, (uint32_t)((o->config.heap ? CONTROL_HEAP : 0) |
                                (o->config.cpu_samples ? CONTROL_CPU_SAMPLES : 0)));
    sink_u2(o->sink, (uint16_t)(o->config.depth < UINT16_MAX ? o->config.depth : UINT16_MAX));
}

static int bin_begin(struct writer_out *w)
{
    struct hprof_out *o = w->state;
    const char *version = o->config.large_heap ? "JAVA PROFILE 1.0.2" : "JAVA PROFILE 1.0.1";
    sink_bytes(o->sink, version, strlen(version) + 1);
    sink_u4(o->sink, o->config.id_bytes);
    sink_u8(o->sink, (uint64_t)o->config.created_ms);
    if (!o->config.is_plain)
        put_controls(o);
    if (profile_program(o->profile) != 0)
        put_program(o, profile_string_at(o->profile, profile_program(o->profile)));
    return 0;
}

static void start_thread(struct hprof_out *o, thread_id thread)
{
    const struct profile_thread *t = profile_thread_at(o->profile, thread);
    need_string(o, t->name);
    need_string(o, t->group);
    need_string(o, t->parent_group);
    hprof_bin_head(o, HPROF_BIN_START_THREAD, 4 + o->config.id_bytes + 4 + 3 * o->config.id_bytes);
    sink_u4(o->sink, t->serial);
    hprof_bin_id(o, t->object);
    sink_u4(o->sink, HPROF_SERIAL_TRACE_SYSTEM);
    hprof_bin_id(o, id_of_string(t->name));
    hprof_bin_id(o, id_of_string(t->group));
    hprof_bin_id(o, id_of_string(t->parent_group));
}

static void bin_thread(struct writer_out *w, thread_id thread, bool has_begun)
{
    struct hprof_out *o = w->state;
    if (has_begun) {
        start_thread(o, thread);
        return;
    }
    hprof_bin_head(o, HPROF_BIN_END_THREAD, 4);
    sink_u4(o->sink, profile_thread_at(o->profile, thread)->serial);
}

static void bin_traces(struct writer_out *w)
{
    struct hprof_out *o = w->state;
    for (trace_id id = 1; id <= profile_trace_count(o->profile); id++)
        need_trace(o, id);
}

static uint32_t saturate(uint64_t v)
{
    return v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
}

/* Only tables of samples: the format has no others. */
static int bin_table(struct writer_out *w, struct writer_table *t)
{
    struct hprof_out *o = w->state;
    uint32_t count = t->shown;
    if (kind_all[t->kind]->text.layout != KIND_TEXT_SAMPLES)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        need_trace(o, t->rows[i].trace);
    hprof_bin_head(o, HPROF_BIN_CPU_SAMPLES, 8 + count * 8);
    sink_u4(o->sink, saturate(t->total));
    sink_u4(o->sink, count);
    for (uint32_t i = 0; i < count; i++) {
        sink_u4(o->sink, saturate(t->rows[i].value[0]));
        sink_u4(o->sink, hprof_serial_trace(o->profile, t->rows[i].trace));
    }
    return 0;
}

static void bin_quality(struct writer_out *w)
{
    struct hprof_out *o = w->state;
    uint32_t count;
    const struct profile_quality *rows = tally_quality(o->tally, &count);
    char text[4096];
    size_t used = (size_t)snprintf(text, sizeof(text), "hprof quality:");
    for (uint32_t i = 0; i < count; i++) {
        size_t room = sizeof(text) - used;
        int n = snprintf(text + used, room, "%s %s=%" PRIu64, i ? "," : "", rows[i].name,
                         rows[i].count);
        if (n < 0 || (size_t)n >= room)
            break; /* a count must be complete */
        used += (size_t)n;
    }
    hprof_bin_note(o, text, used);
}

const struct writer hprof_bin_out = {
    .kinds = KIND_SET_HPROF_BINARY,
    .abilities = WRITER_CLASSES,
    .begin = bin_begin,
    .thread = bin_thread,
    .load_class = bin_load_class,
    .unload_class = bin_unload_class,
    .sums = hprof_sums_put,
    .next = hprof_out_next,
    .table = bin_table,
    .sites = hprof_bin_sites,
    .summary = hprof_bin_sites_summary,
    .traces = bin_traces,
    .quality = bin_quality,
    .again = hprof_out_again,
    .end = hprof_out_end,
};
