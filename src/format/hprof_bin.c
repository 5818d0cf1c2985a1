/*
 * hprof_bin.c - writes java.hprof, the binary form: see hprof_bin.h.
 *
 * A file is a header, then records: tag, microseconds, length and body, all big-endian. Identifiers
 * have four bytes, or eight if heap dumps need them. A row is written before the first record that
 * refers to it. See docs/format/hprof-binary.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_bin.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/sink.h"
#include "format/hprof_out.h"
#include "format/hprof_redact.h"
#include "format/hprof_serial.h"
#include "profile/tally.h"
#include "safe/clock.h"

/* Base of the ids for classes whose object is unknown: a stack named them first, and they may be
 * unloaded. */
static const uint32_t unnamed_class_base = 0x58000000u;
/* Ids of UTF8 records without a reference count down from here; the ids of the model's strings
 * never come so far. */
static const uint32_t note_last = 0xafffffffu;

void hprof_bin_head_to(struct sink *s, int64_t created_ms, enum hprof_bin_tag tag,
                       uint32_t body_bytes)
{
    int64_t us = (int64_t)(clock_ns(CLOCK_REALTIME) / NS_PER_US) - created_ms * 1000;
    sink_u1(s, (uint8_t)tag);
    sink_u4(s, (uint32_t)us); /* wraps after 71 minutes, as the format has it */
    sink_u4(s, body_bytes);
}

static void put_head(struct hprof_out *o, enum hprof_bin_tag tag, uint32_t body_bytes)
{
    hprof_bin_head_to(o->sink, o->config.created_ms, tag, body_bytes);
}

/* Writes an identifier with as many bytes as the file's identifiers have. */
static void put_id(struct hprof_out *o, uint64_t id)
{
    if (o->config.id_bytes == 8)
        sink_u8(o->sink, id);
    else
        sink_u4(o->sink, (uint32_t)id);
}

/* Writes a UTF8 record that no other record refers to. Readers know it by the beginning of its
 * text. */
static void put_note(struct hprof_out *o, const char *text, size_t len)
{
    put_head(o, HPROF_BIN_UTF8, o->config.id_bytes + (uint32_t)len);
    put_id(o, note_last - o->note_count++);
    sink_bytes(o->sink, text, len);
}

uint64_t hprof_bin_class_object(uint32_t id_bytes, class_id klass)
{
    uint64_t number = unnamed_class_base | klass;
    return id_bytes == 8 ? number << 32 : number; /* above all addresses that a program can have */
}

enum {
    CONTROL_HEAP = 1,
    CONTROL_CPU_SAMPLES = 2,
};

/* The first digit of an identifier says which table it belongs to. Text files show objects with the
 * same numbers. */
static const uint32_t string_base = 0xa0000000u;
static const uint32_t renamed_base = 0xb0000000u;
static const uint32_t frame_base = 0x70000000u;

_Static_assert(TABLE_ROWS_MAX <= 0x0fffffff, "the first digit of an identifier is free");

static uint32_t id_of_string(string_id id)
{
    return id ? string_base | id : 0;
}

static void need_string(struct hprof_out *o, string_id id)
{
    if (id == 0 || !row_marks_set(&o->marks, ROW_MARKS_STRING, id))
        return;
    const struct profile_string *s = profile_string_at(o->profile, id);
    put_head(o, HPROF_BIN_UTF8, o->config.id_bytes + s->len);
    put_id(o, id_of_string(id));
    sink_bytes(o->sink, s->bytes, s->len);
}

/* What becomes of a name that is used so. */
static enum hprof_redact_fate fate_of(const struct hprof_out *o, enum hprof_redact_use use)
{
    const struct hprof_redact_rule rule = {.has_names = o->config.renames};
    return hprof_redact_fate(&rule, use);
}

/* The id of a name, which may be another name in the file than in the model. A class may have the
 * same string as its name, so the other name has another id. */
static uint32_t id_of_name(const struct hprof_out *o, enum hprof_redact_use use, string_id id)
{
    bool stays = id == 0 || fate_of(o, use) == HPROF_REDACT_STAYS;
    return stays ? id_of_string(id) : renamed_base | id;
}

static void need_name(struct hprof_out *o, enum hprof_redact_use use, string_id id)
{
    enum hprof_redact_fate fate = fate_of(o, use);
    char room[HPROF_REDACT_NAME];
    if (fate == HPROF_REDACT_STAYS) {
        need_string(o, id);
        return;
    }
    if (id == 0 || !row_marks_set(&o->marks, ROW_MARKS_RENAMED, id))
        return;
    const char *name = hprof_redact_name(fate, id, room);
    put_head(o, HPROF_BIN_UTF8, o->config.id_bytes + (uint32_t)strlen(name));
    put_id(o, renamed_base | id);
    sink_bytes(o->sink, name, strlen(name));
}

static void put_loaded_class(struct hprof_out *o, class_id klass, uint64_t object)
{
    const struct profile_class *c = profile_class_at(o->profile, klass);
    if (row_marks_class(&o->marks, klass))
        return;
    row_marks_set_class(&o->marks, klass, object);
    need_string(o, c->name);
    put_head(o, HPROF_BIN_LOAD_CLASS, 4 + o->config.id_bytes + 4 + o->config.id_bytes);
    sink_u4(o->sink, hprof_serial_class(o->profile, klass));
    put_id(o, object);
    sink_u4(o->sink, HPROF_SERIAL_TRACE_SYSTEM);
    put_id(o, id_of_string(c->name));
}

void hprof_bin_class(struct hprof_out *o, class_id klass)
{
    if (!row_marks_class(&o->marks, klass))
        put_loaded_class(o, klass, hprof_bin_class_object(o->config.id_bytes, klass));
}

static void bin_load_class(struct writer_out *w, class_id klass, uint64_t object)
{
    put_loaded_class(w->state, klass, object);
}

/* Frames may still name the class, so its number stays in use. */
static void bin_unload_class(struct writer_out *w, class_id klass)
{
    struct hprof_out *o = w->state;
    put_head(o, HPROF_BIN_UNLOAD_CLASS, 4);
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
    need_name(o, HPROF_REDACT_CODE, m->name);
    need_name(o, HPROF_REDACT_DESCRIPTOR, m->descriptor);
    need_name(o, HPROF_REDACT_CODE, m->source);
    put_head(o, HPROF_BIN_FRAME, 4 * o->config.id_bytes + 4 + 4);
    put_id(o, frame_base | id);
    put_id(o, id_of_name(o, HPROF_REDACT_CODE, m->name));
    put_id(o, id_of_name(o, HPROF_REDACT_DESCRIPTOR, m->descriptor));
    put_id(o, id_of_name(o, HPROF_REDACT_CODE, m->source));
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
    put_head(o, HPROF_BIN_TRACE, 12 + t->depth * o->config.id_bytes);
    sink_u4(o->sink, hprof_serial_trace(o->profile, id));
    sink_u4(o->sink, thread);
    sink_u4(o->sink, t->depth);
    for (uint32_t i = 0; i < t->depth; i++)
        put_id(o, frame_base | t->frames[i]);
}

static void put_program(struct hprof_out *o, const struct profile_string *name)
{
    char *text = NULL;
    int len = asprintf(&text, "%s%s", HPROF_BIN_PROGRAM, name->bytes);
    if (len >= 0)
        put_note(o, text, (size_t)len);
    free(text);
}

static void put_controls(struct hprof_out *o)
{
    put_head(o, HPROF_BIN_CONTROL_SETTINGS, 4 + 2);
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
    if (profile_program(o->profile) != 0 && fate_of(o, HPROF_REDACT_PROGRAM) == HPROF_REDACT_STAYS)
        put_program(o, profile_string_at(o->profile, profile_program(o->profile)));
    return 0;
}

static void start_thread(struct hprof_out *o, thread_id thread)
{
    const struct profile_thread *t = profile_thread_at(o->profile, thread);
    need_name(o, HPROF_REDACT_THREAD, t->name);
    need_name(o, HPROF_REDACT_THREAD, t->group);
    need_name(o, HPROF_REDACT_THREAD, t->parent_group);
    put_head(o, HPROF_BIN_START_THREAD, 4 + o->config.id_bytes + 4 + 3 * o->config.id_bytes);
    sink_u4(o->sink, t->serial);
    put_id(o, t->object);
    sink_u4(o->sink, HPROF_SERIAL_TRACE_SYSTEM);
    put_id(o, id_of_name(o, HPROF_REDACT_THREAD, t->name));
    put_id(o, id_of_name(o, HPROF_REDACT_THREAD, t->group));
    put_id(o, id_of_name(o, HPROF_REDACT_THREAD, t->parent_group));
}

static void bin_thread(struct writer_out *w, thread_id thread, bool has_begun)
{
    struct hprof_out *o = w->state;
    if (has_begun) {
        start_thread(o, thread);
        return;
    }
    put_head(o, HPROF_BIN_END_THREAD, 4);
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
    put_head(o, HPROF_BIN_CPU_SAMPLES, 8 + count * 8);
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
    put_note(o, text, used);
}

/* ---- ALLOC SITES and HEAP SUMMARY
 *
 * Counts of sites have 32 bits in these records; a larger count becomes the largest number. The
 * quality count `saturated` says for how many counts this was done. The true counts stand in
 * strings before the table.
 */

enum {
    SITES_BYTES = 2 + 4 + 4 + 4 + 8 + 8 + 4, /* bytes before the rows */
    ROW_BYTES = 1 + 6 * 4,
    SUMMARY_BYTES = 4 + 4 + 8 + 8,
};

static void put_capped(struct hprof_out *o, uint64_t v)
{
    if (v > UINT32_MAX) {
        o->saturated++;
        v = UINT32_MAX;
    }
    sink_u4(o->sink, (uint32_t)v);
}

static void put_sites_total(struct hprof_out *o, const uint64_t *total)
{
    put_capped(o, total[WRITER_SITES_LIVE_BYTES]);
    put_capped(o, total[WRITER_SITES_LIVE_OBJECTS]);
    sink_u8(o->sink, total[WRITER_SITES_BYTES]);
    sink_u8(o->sink, total[WRITER_SITES_OBJECTS]);
}

static void put_site(struct hprof_out *o, const struct event *s)
{
    sink_u1(o->sink, hprof_out_sites_kind(o, s->klass));
    sink_u4(o->sink, hprof_serial_class(o->profile, s->klass));
    sink_u4(o->sink, hprof_serial_trace(o->profile, s->trace));
    put_capped(o, s->value[WRITER_SITES_LIVE_BYTES]);
    put_capped(o, s->value[WRITER_SITES_LIVE_OBJECTS]);
    put_capped(o, s->value[WRITER_SITES_BYTES]);
    put_capped(o, s->value[WRITER_SITES_OBJECTS]);
}

/* Writes the numbers of a row in the order of its fields, if not all of them fit into the row. */
static void put_large(struct hprof_out *o, const struct event *s)
{
    char text[sizeof(HPROF_BIN_SITE) + 6ul * 21];
    int len;
    if (s->value[0] <= UINT32_MAX && s->value[1] <= UINT32_MAX && s->value[2] <= UINT32_MAX &&
        s->value[3] <= UINT32_MAX)
        return;
    len = snprintf(
        text, sizeof(text),
        HPROF_BIN_SITE "%" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
        hprof_serial_class(o->profile, s->klass), hprof_serial_trace(o->profile, s->trace),
        s->value[WRITER_SITES_LIVE_BYTES], s->value[WRITER_SITES_LIVE_OBJECTS],
        s->value[WRITER_SITES_BYTES], s->value[WRITER_SITES_OBJECTS]);
    put_note(o, text, (size_t)len);
}

static int put_sites(struct writer_out *w, struct writer_sites *t)
{
    struct hprof_out *o = w->state;
    uint32_t rows = hprof_out_sites_rank(t);
    float cutoff = (float)t->cutoff;
    uint32_t bits;
    memcpy(&bits, &cutoff, sizeof(bits));
    writer_traces(w);
    for (uint32_t i = 0; i < rows; i++)
        put_large(o, &t->rows[i].site);
    for (uint32_t i = 0; i < rows; i++)
        hprof_bin_class(o, t->rows[i].site.klass);
    put_head(o, HPROF_BIN_ALLOC_SITES, SITES_BYTES + rows * ROW_BYTES);
    sink_u2(o->sink, (uint16_t)t->flags);
    sink_u4(o->sink, bits);
    put_sites_total(o, t->total);
    sink_u4(o->sink, rows);
    for (uint32_t i = 0; i < rows; i++)
        put_site(o, &t->rows[i].site);
    w->saturated = o->saturated;
    return 0;
}

static void put_summary(struct writer_out *w, const uint64_t total[KIND_VALUES])
{
    struct hprof_out *o = w->state;
    put_head(o, HPROF_BIN_HEAP_SUMMARY, SUMMARY_BYTES);
    put_sites_total(o, total);
    w->saturated = o->saturated;
}

const struct writer hprof_bin_out = {
    .kinds = KIND_SET_HPROF_BINARY,
    .abilities = WRITER_CLASSES,
    .begin = bin_begin,
    .thread = bin_thread,
    .load_class = bin_load_class,
    .unload_class = bin_unload_class,
    .sums = hprof_out_sums,
    .next = hprof_out_next,
    .table = bin_table,
    .sites = put_sites,
    .summary = put_summary,
    .traces = bin_traces,
    .quality = bin_quality,
    .again = hprof_out_again,
    .end = hprof_out_end,
};
