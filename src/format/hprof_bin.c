/*
 * hprof_bin.c - see hprof_bin.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_bin.h"
#include <time.h>
#include "base/sink.h"
#include "format/hprof_out.h"
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

void hprof_bin_head(struct hprof_out *o, enum hprof_bin_tag tag, uint32_t body_bytes)
{
    hprof_bin_head_to(o->sink, o->config.created_ms, tag, body_bytes);
}

void hprof_bin_note(struct hprof_out *o, const char *text, size_t len)
{
    hprof_bin_head(o, HPROF_BIN_UTF8, o->config.id_bytes + (uint32_t)len);
    hprof_bin_id(o, note_last - o->note_count++);
    sink_bytes(o->sink, text, len);
}

void hprof_bin_id(struct hprof_out *o, uint64_t id)
{
    if (o->config.id_bytes == 8)
        sink_u8(o->sink, id);
    else
        sink_u4(o->sink, (uint32_t)id);
}

uint64_t hprof_bin_class_object(uint32_t id_bytes, class_id klass)
{
    uint64_t number = unnamed_class_base | klass;
    return id_bytes == 8 ? number << 32 : number; /* above all addresses that a program can have */
}

void hprof_bin_class(struct hprof_out *o, class_id klass)
{
    if (!row_marks_class(&o->marks, klass))
        hprof_bin_out_class(o, klass, hprof_bin_class_object(o->config.id_bytes, klass));
}
