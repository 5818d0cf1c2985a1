/*
 * hprof_events.c - see hprof_events.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_events.h"
#include <inttypes.h>
#include <time.h>
#include "base/sink.h"
#include "format/hprof_out.h"
#include "format/hprof_serial.h"
#include "format/hprof_text.h"
#include "profile/profile.h"

/* Writes "live bytes" as one word, "live_bytes". A time also gets its unit: "time_ns". */
static void put_value_name(struct sink *s, const struct kind_value *value)
{
    for (const char *at = value->words; *at; at++)
        sink_u1(s, *at == ' ' ? '_' : (uint8_t)*at);
    if (value->unit == KIND_UNIT_NS)
        sink_text(s, "_ns");
}

static void put_head(struct hprof_out *o, const struct writer_table *t)
{
    const struct kind *type = kind_all[t->kind];
    uint64_t total[KIND_VALUES] = {0};
    for (uint32_t i = 0; i < t->count; i++)
        for (int v = 0; v < KIND_VALUES; v++)
            total[v] += t->rows[i].value[v];
    total[t->ranked_by] = t->total;
    sink_printf(o->sink, HPROF_EVENTS_HEAD "%s BEGIN (", type->word);
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

static void put_row(struct hprof_out *o, const struct event *row)
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

void hprof_events_text(struct hprof_out *o, const struct writer_table *t)
{
    uint64_t accum = 0;
    for (uint32_t i = 0; i < t->shown; i++)
        hprof_text_trace(o, t->rows[i].trace);
    put_head(o, t);
    for (uint32_t i = 0; i < t->shown; i++) {
        uint64_t part = t->rows[i].value[t->ranked_by];
        accum += part;
        hprof_text_shares(o->sink, 5, i + 1, part, accum, t->total);
        sink_text(o->sink, " ");
        put_row(o, &t->rows[i]);
    }
    sink_printf(o->sink, HPROF_EVENTS_HEAD "%s END\n", kind_all[t->kind]->word);
}
