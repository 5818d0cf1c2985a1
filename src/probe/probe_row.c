/*
 * probe_row.c - see probe_row.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "probe/probe_row.h"
#include <stdio.h>
#include <string.h>
#include "base/sink.h"
#include "format/json_out.h"
#include "probe/probe_frames.h"
#include "probe/probe_times.h"

void probe_row_add(struct probe_row *row, const struct probe_hit_form *form,
                   const struct probe_hit_value *values)
{
    for (unsigned i = 0; i < form->count && row->count < PROBE_ROW_FIELDS; i++) {
        struct probe_row_field *field = &row->fields[row->count++];
        snprintf(field->name, sizeof(field->name), "%s", form->fields[i].known.name);
        field->value = values ? &values[i] : NULL;
        field->before = NULL;
    }
}

void probe_row_add_end(struct probe_row *row, const struct probe_hit_form *form,
                       const struct probe_hit_value *values, unsigned same)
{
    for (unsigned i = same; i < form->count && row->count < PROBE_ROW_FIELDS; i++) {
        const char *name = form->fields[i].known.name;
        const struct probe_row_field *taken = probe_row_field(row, name);
        struct probe_row_field *field = &row->fields[row->count++];
        snprintf(field->name, sizeof(field->name), "%s%s", taken ? "end_" : "", name);
        field->value = values ? &values[i] : NULL;
        field->before = taken ? taken->value : NULL;
    }
}

bool probe_row_is_value(const struct probe_hit_value *a, const struct probe_hit_value *b)
{
    if (a->is != b->is)
        return false;
    return a->is == PROBE_HIT_TEXT_VALUE ? a->len == b->len && memcmp(a->text, b->text, a->len) == 0
                                         : a->is == PROBE_HIT_NONE || a->number == b->number;
}

const struct probe_row_field *probe_row_field(const struct probe_row *row, const char *name)
{
    for (unsigned i = 0; i < row->count; i++)
        if (strcmp(row->fields[i].name, name) == 0)
            return &row->fields[i];
    return NULL;
}

void probe_row_put_name(struct sink *out, const struct probe_hit_form *form, bool is_json)
{
    char name[512];
    int len = snprintf(name, sizeof(name), "%s:%s", form->provider, form->name);
    size_t written = len < (int)sizeof(name) ? (size_t)len : sizeof(name) - 1;
    if (is_json)
        json_out_text(out, name, written);
    else
        sink_bytes(out, name, written);
}

static void put_json(struct sink *out, const struct probe_row *row)
{
    sink_printf(out, "{\"time_ns\":%llu,", (unsigned long long)row->time_ns);
    if (row->has_duration)
        sink_printf(out, "\"duration_ns\":%llu,", (unsigned long long)row->duration_ns);
    sink_printf(out, "\"tid\":%d,\"probe\":", (int)row->tid);
    probe_row_put_name(out, row->form, true);
    if (row->end) {
        sink_text(out, ",\"end\":");
        probe_row_put_name(out, row->end, true);
    }
    for (unsigned i = 0; i < row->count; i++) {
        sink_u1(out, ',');
        json_out_text(out, row->fields[i].name, strlen(row->fields[i].name));
        sink_u1(out, ':');
        probe_hit_put(out, row->fields[i].value, true);
    }
    if (row->frames)
        probe_frames_put(out, row->frames, true);
    sink_text(out, "}\n");
}

void probe_row_put(struct sink *out, const struct probe_row *row, uint64_t from_ns, bool is_json)
{
    if (is_json) {
        put_json(out, row);
        return;
    }
    uint64_t since = row->time_ns > from_ns ? row->time_ns - from_ns : 0;
    sink_printf(out, "%10.6f %7d ", (double)since / 1e9, (int)row->tid);
    if (row->end)
        sink_text(out, row->pair);
    else
        probe_row_put_name(out, row->form, false);
    if (row->has_duration) {
        char duration[32];
        probe_times_text(duration, sizeof(duration), row->duration_ns);
        sink_printf(out, "  duration=%s", duration);
    }
    for (unsigned i = 0; i < row->count; i++) {
        const struct probe_row_field *field = &row->fields[i];
        if (field->before && probe_row_is_value(field->before, field->value))
            continue;
        sink_printf(out, "  %s=", field->name);
        probe_hit_put(out, field->value, false);
    }
    if (row->frames)
        probe_frames_put(out, row->frames, false);
    else
        sink_u1(out, '\n');
}
