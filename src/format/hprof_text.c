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
#include "base/plain.h"
#include "base/sink.h"
#include "format/hprof_out.h"
#include "format/hprof_serial.h"

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

void hprof_text_shares(struct sink *s, int width, uint32_t rank, uint64_t part, uint64_t accum,
                       uint64_t whole)
{
    char self_text[32];
    char accum_text[32];
    hprof_text_percent(self_text, sizeof(self_text), part, whole);
    hprof_text_percent(accum_text, sizeof(accum_text), accum, whole);
    sink_printf(s, "%*" PRIu32 " %5s%% %5s%%", width, rank, self_text, accum_text);
}

void hprof_text_method(struct hprof_out *o, const struct profile_method *m)
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
    hprof_text_method(o, m);
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

void hprof_text_trace(struct hprof_out *o, trace_id id)
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
        hprof_text_trace(o, id);
}
