/*
 * top_json.c - see top_json.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "top/top_json.h"
#include <string.h>
#include "base/sink.h"
#include "top/top_choice.h"
#include "top/top_list.h"
#include "top/top_methods.h"
#include "top/top_page.h"
#include "format/json_out.h"

static void put_text(struct sink *s, const char *text)
{
    if (text)
        json_out_text(s, text, strlen(text));
    else
        sink_text(s, "null");
}

static void put_thread(struct sink *s, const struct top_thread *thread, const struct top_choice *c)
{
    sink_printf(s, "{\"tid\":%d,\"name\":", (int)thread->tid);
    put_text(s, thread->name);
    sink_printf(s, ",\"java\":%s,\"cpu_percent\":%.2f", thread->is_java ? "true" : "false",
                thread->cpu_percent);
    if (thread->is_java)
        sink_printf(s, ",\"alloc_bytes_per_s\":%.0f", thread->alloc_rate);
    sink_printf(s, ",\"os_state\":\"%c\",\"state\":", thread->os_state);
    put_text(s, thread->state);
    sink_text(s, ",\"frames\":[");
    for (uint32_t i = 0; i < thread->frame_count && i < c->frames; i++) {
        sink_text(s, i > 0 ? "," : "");
        put_text(s, thread->frames[i]);
    }
    sink_text(s, "]}");
}

static void put_threads(struct sink *s, const struct top_page *p, const struct top_choice *c)
{
    uint32_t shown = 0;
    sink_text(s, ",\"threads\":[");
    for (uint32_t i = 0; i < p->count && (c->rows == 0 || shown < c->rows); i++) {
        if (!top_choice_has_thread(c, &p->threads[i]))
            continue;
        sink_text(s, shown++ > 0 ? "," : "");
        put_thread(s, &p->threads[i], c);
    }
    sink_text(s, "]");
}

static void put_methods(struct sink *s, const struct top_page *p, const struct top_choice *c)
{
    const struct top_methods *m = p->methods;
    sink_printf(s, ",\"methods\":{\"looks\":%u,\"seconds\":%.1f,\"seen\":%u,\"rows\":[", m->looks,
                p->methods_span_s, m->seen);
    for (uint32_t i = 0; i < m->count && i < c->methods; i++) {
        sink_text(s, i > 0 ? ",{\"name\":" : "{\"name\":");
        put_text(s, m->methods[i]->name);
        sink_printf(s, ",\"count\":%u}", m->methods[i]->count);
    }
    sink_text(s, "]}");
}

void top_json_page(struct sink *s, struct top_page *p, const struct top_choice *c)
{
    top_choice_sort_threads(c, p->threads, p->count);
    sink_printf(s, "{\"pid\":%d,\"main\":", (int)p->pid);
    put_text(s, p->name);
    sink_text(s, ",\"jdk\":");
    put_text(s, p->version);
    sink_printf(s, ",\"uptime_s\":%.1f,\"seconds\":%.3f,\"cpu_percent\":%.2f,\"processors\":%ld",
                p->uptime_s < 0 ? 0 : p->uptime_s, p->seconds, p->cpu_percent, p->processors);
    sink_printf(s, ",\"java_threads\":%u,\"running\":%u", p->java_count, p->running_count);
    if (p->has_alloc)
        sink_printf(s, ",\"alloc_bytes_per_s\":%.0f", p->alloc_rate);
    if (p->heap.is_known)
        sink_printf(s,
                    ",\"heap\":{\"used\":%.0f,\"size\":%.0f,\"as_of_last_gc\":%s,\"pauses\":%.0f,"
                    "\"pause_percent\":%.2f,\"safepoints\":%.0f,\"safepoint_percent\":%.2f}",
                    p->heap.used_bytes, p->heap.size_bytes, p->heap.is_old ? "true" : "false",
                    p->heap.pauses, p->heap.pause_percent, p->heap.safepoints,
                    p->heap.safepoint_percent);
    sink_printf(s, ",\"stop_s\":%.3f", p->heap.stop_s);
    sink_printf(s,
                ",\"looks\":{\"count\":%u,\"failed\":%u,\"unread\":%u,\"last_stop_ms\":%.3f,"
                "\"longest_stop_ms\":%.3f,\"stopped_percent\":%.3f,\"page\":%s}",
                p->looks.count, p->looks.failed, p->looks.unread, (double)p->looks.last_ns / 1e6,
                (double)p->looks.longest_ns / 1e6, p->looks.stopped_percent,
                p->has_frames && !p->looks.is_unstopped ? "true" : "false");
    if (p->looks.is_unstopped && p->looks.frames_age_s >= 0)
        sink_printf(s, ",\"frames_age_s\":%.1f", p->looks.frames_age_s);
    put_threads(s, p, c);
    put_methods(s, p, c);
    sink_text(s, "}\n");
}

static void put_jvm(struct sink *s, const struct top_list_row *row)
{
    sink_printf(s, "{\"pid\":%d,\"user\":", (int)row->pid);
    put_text(s, row->user);
    sink_text(s, ",\"main\":");
    put_text(s, row->name);
    sink_text(s, ",\"jdk\":");
    put_text(s, row->version);
    sink_printf(s, ",\"uptime_s\":%.1f,\"cpu_percent\":%.2f", row->uptime_s < 0 ? 0 : row->uptime_s,
                row->cpu_percent);
    if (row->has_counters)
        sink_printf(s,
                    ",\"heap\":{\"used\":%.0f,\"size\":%.0f,\"as_of_last_gc\":%s,"
                    "\"pause_percent\":%.2f}",
                    row->heap.used_bytes, row->heap.size_bytes, row->heap.is_old ? "true" : "false",
                    row->gc_percent);
    sink_text(s, "}");
}

void top_json_list(struct sink *s, struct top_list *l, const struct top_choice *c)
{
    uint32_t shown = 0;
    top_list_sort(l, c);
    sink_printf(s, "{\"cpu_percent\":%.2f,\"processors\":%ld,\"hidden\":%u,\"jvms\":[",
                l->cpu_percent, l->processors, l->hidden);
    for (uint32_t i = 0; i < l->count && (c->rows == 0 || shown < c->rows); i++) {
        if (!top_choice_has(c, l->rows[i].name))
            continue;
        sink_text(s, shown++ > 0 ? "," : "");
        put_jvm(s, &l->rows[i]);
    }
    sink_text(s, "]}\n");
}
