/*
 * top_write.c - see top_write.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "top/top_write.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "base/err.h"
#include "base/plural.h"
#include "base/sink.h"
#include "command/shorten.h"
#include "command/textbuf.h"
#include "format/json_out.h"
#include "jvm/jvm_list.h"
#include "top/top_choice.h"
#include "top/top_list.h"
#include "top/top_methods.h"
#include "top/top_page.h"

/* ---- text */

enum {
    TEXT_MAX_BYTES = 4096,
    NAME_MIN = 12, /* columns of a thread's name */
    NAME_MAX = 40,
    VERSION_MAX = 20,
    STATE = 8,
    /* Columns before the name: TID %CPU ALLOC/s S STATE. */
    BEFORE_NAME = 7 + 1 + 6 + 1 + 7 + 1 + 1 + 1 + STATE + 1,
    BEFORE_METHOD = 9,
    FEW_LOOKS = 20,
};

static void put_size(struct textbuf *t, double bytes, int width)
{
    static const char units[] = "BKMGTP";
    unsigned unit = 0;
    for (; bytes >= 1000 && unit + 2 < sizeof(units); unit++)
        bytes /= 1024;
    textbuf_printf(t, unit == 0 ? "%*.0f%c" : "%*.1f%c", width - 1, bytes, units[unit]);
}

static void put_clock(struct textbuf *t, time_t when)
{
    struct tm local;
    if (localtime_r(&when, &local))
        textbuf_printf(t, "%02d:%02d:%02d", local.tm_hour, local.tm_min, local.tm_sec);
}

/* Writes a text at most `columns` wide, with blanks up to width `pad`. Returns the width of the
 * text. */
static size_t put_text(struct textbuf *t, const char *name, size_t columns, size_t pad)
{
    char text[TEXT_MAX_BYTES];
    snprintf(text, sizeof(text), "%s", name);
    shorten_text(text, columns);
    textbuf_text(t, text);
    size_t width = shorten_columns(text);
    if (width < pad)
        textbuf_fill(t, ' ', pad - width);
    return width;
}

/* Works like put_text() for a class or method, whose packages are abbreviated first. */
static size_t put_name(struct textbuf *t, const char *name, size_t columns, size_t pad)
{
    char text[TEXT_MAX_BYTES];
    snprintf(text, sizeof(text), "%s", name);
    shorten_name(text, columns);
    return put_text(t, text, columns, pad);
}

static void put_looks(struct textbuf *t, const struct top_page *p)
{
    const struct top_looks *looks = &p->looks;
    if (!p->has_frames) {
        textbuf_text(t, "looks without stopping it: frames of running threads are not known\n");
        return;
    }
    textbuf_printf(t, "looks %u, each a stop: last %.1f ms, longest %.1f ms, %.2f %% of the time",
                   looks->count, (double)looks->last_ns / 1e6, (double)looks->longest_ns / 1e6,
                   looks->stopped_percent);
    if (looks->is_unstopped)
        textbuf_text(t,
                     looks->is_late
                         ? "\nno look for this page: not all threads stopped"
                         : "\nno look for this page: it would stop for more than 1 % of the time");
    if (looks->is_unstopped && looks->frames_age_s >= 0)
        textbuf_printf(t, "; frames of running threads are %.1f s old", looks->frames_age_s);
    if (looks->unread > 0)
        textbuf_printf(t,
                       "\n%u thread%s not read in the last stop, whose bound was over: see "
                       "--max-stop",
                       looks->unread, plural_of(looks->unread, " was", "s were"));
    if (looks->failed > 0)
        textbuf_printf(t, "\n%u looks failed: %s", looks->failed,
                       looks->error == -ETIMEDOUT ? "threads did not stop in time"
                                                  : err_text(looks->error));
    textbuf_char(t, '\n');
}

static void put_heap(struct textbuf *t, const struct top_page *p)
{
    const struct top_heap *heap = &p->heap;
    if (heap->is_known) {
        textbuf_text(t, "heap ");
        put_size(t, heap->used_bytes, 0);
        textbuf_text(t, heap->is_old ? "* of " : " of ");
        put_size(t, heap->size_bytes, 0);
        textbuf_text(t, ", ");
    }
    textbuf_text(t, "allocates ");
    if (p->has_alloc)
        put_size(t, p->alloc_rate, 0);
    else
        textbuf_char(t, '-');
    textbuf_text(t, "/s\n");
    if (heap->is_known)
        textbuf_printf(t, "GC %.1f %% of the time in %.0f pauses, safepoints %.1f %% in %.0f\n",
                       heap->pause_percent, heap->pauses, heap->safepoint_percent,
                       heap->safepoints);
}

static void put_head(struct textbuf *t, const struct top_page *p, size_t columns)
{
    char uptime[JVM_LIST_UPTIME];
    jvm_list_put_uptime(uptime, p->uptime_s);
    put_clock(t, p->made);
    textbuf_printf(t, " %d ", (int)p->pid);
    put_name(t, p->name, NAME_MAX, 0);
    textbuf_printf(t, ", JDK %s, up %s\n", p->version ? p->version : "?", uptime);
    textbuf_printf(t, "CPU %.1f %% of %ld00, %u thread%s, %u of them Java's, %u running",
                   p->cpu_percent, p->processors, p->count, plural_s(p->count), p->java_count,
                   p->running_count);
    textbuf_char(t, '\n');
    put_heap(t, p);
    if (p->heap.stop_s > 0)
        textbuf_printf(t, "a safepoint since %.1f s: %s\n", p->heap.stop_s,
                       p->heap.is_stop_waiting ? "waits for threads that run and do not stop"
                                               : "all threads stand still");
    size_t start = t->len;
    put_looks(t, p);
    textbuf_wrap(t, start, columns);
}

/* Only the first word is shown: "TIMED_WAITING (sleeping)" would take too much room. */
static void put_state(struct textbuf *t, const char *state)
{
    size_t len = state ? strcspn(state, " _") : 1;
    textbuf_bytes(t, state ? state : "-", len);
    textbuf_fill(t, ' ', STATE + 1 - (len < STATE ? len : STATE));
}

/* Writes the innermost frames, as many as fit. The first is shortened if necessary, the others are
 * not. */
static void put_frames(struct textbuf *t, const struct top_thread *thread,
                       const struct top_choice *c, size_t columns)
{
    size_t left = columns;
    if (thread->frame_count == 0 && thread->no_stack)
        textbuf_printf(t, "(%s)", thread->no_stack);
    for (uint32_t i = 0; i < thread->frame_count && i < c->frames; i++) {
        size_t width = shorten_columns(thread->frames[i]) + (i > 0 ? strlen(" < ") : 0);
        if (i > 0 && columns != 0 && width > left)
            break;
        if (i > 0)
            textbuf_text(t, " < ");
        put_name(t, thread->frames[i], i == 0 ? columns : 0, 0);
        left -= width < left ? width : left;
    }
}

/* Whether row `number` is shown, of the rows that pass the filter. */
static bool is_shown(const struct top_choice *c, uint32_t number)
{
    return number >= c->first && (c->rows == 0 || number - c->first < c->rows);
}

static void put_left_out(struct textbuf *t, const struct top_choice *c, uint32_t count)
{
    if (c->rows != 0 && count > c->first && count - c->first > c->rows)
        textbuf_printf(t, "        and %u more\n", count - c->first - c->rows);
}

static size_t name_columns(const struct top_page *p, const struct top_choice *c)
{
    size_t widest = NAME_MIN, most = NAME_MAX;
    uint32_t number = 0;
    if (c->columns != 0) {
        size_t left = c->columns > BEFORE_NAME ? c->columns - BEFORE_NAME : 0;
        most = left * 2 / 5 < NAME_MIN ? NAME_MIN : left * 2 / 5;
        most = most > NAME_MAX ? NAME_MAX : most;
    }
    for (uint32_t i = 0; i < p->count; i++) {
        if (!top_choice_has_thread(c, &p->threads[i]) || !is_shown(c, number++))
            continue;
        size_t width = shorten_columns(p->threads[i].name);
        widest = width > widest ? width : widest;
    }
    return widest < most ? widest : most;
}

static void put_thread(struct textbuf *t, const struct top_thread *thread,
                       const struct top_choice *c, size_t name)
{
    size_t before = BEFORE_NAME + name + 1;
    textbuf_printf(t, "%7d %6.1f ", (int)thread->tid, thread->cpu_percent);
    if (thread->is_java)
        put_size(t, thread->alloc_rate, 7);
    else
        textbuf_text(t, "      -");
    textbuf_printf(t, " %c ", thread->os_state);
    put_state(t, thread->state);
    put_text(t, thread->name, name, name + 1);
    if (c->frames > 0 && (c->columns == 0 || c->columns > before))
        put_frames(t, thread, c, c->columns == 0 ? 0 : c->columns - before);
    while (t->len > 0 && t->bytes[t->len - 1] == ' ')
        t->len--;
    textbuf_char(t, '\n');
}

static void put_threads(struct textbuf *t, const struct top_page *p, const struct top_choice *c)
{
    size_t name = name_columns(p, c);
    uint32_t number = 0;
    textbuf_printf(t, "%7s %6s %7s S %-*s %-*s %s\n", "TID", "%CPU", "ALLOC/s", STATE, "STATE",
                   (int)name, "THREAD", c->frames > 0 ? "FRAMES" : "");
    for (uint32_t i = 0; i < p->count; i++)
        if (top_choice_has_thread(c, &p->threads[i]) && is_shown(c, number++))
            put_thread(t, &p->threads[i], c, name);
    put_left_out(t, c, number);
}

static void put_methods(struct textbuf *t, const struct top_page *p, const struct top_choice *c)
{
    const struct top_methods *m = p->methods;
    textbuf_printf(t, "Methods of running threads, %u seen in %u looks in %.0f s%s\n", m->seen,
                   m->looks, p->methods_span_s,
                   m->looks < FEW_LOOKS ? ": few looks, a rough idea" : "");
    for (uint32_t i = 0; i < m->count && i < c->methods; i++) {
        const struct top_method *method = m->methods[i];
        textbuf_printf(t, "%5.1f %% ", (double)method->count * 100 / m->seen);
        put_name(t, method->name, c->columns > BEFORE_METHOD ? c->columns - BEFORE_METHOD : 0, 0);
        textbuf_char(t, '\n');
    }
}

void top_write_text(struct textbuf *t, struct top_page *p, const struct top_choice *c)
{
    top_choice_sort_threads(c, p->threads, p->count);
    put_head(t, p, c->columns);
    textbuf_char(t, '\n');
    put_threads(t, p, c);
    if (p->has_frames && c->methods > 0) {
        textbuf_char(t, '\n');
        put_methods(t, p, c);
    }
}

/* The width of the widest version that is shown. */
static size_t version_columns(const struct top_list *l)
{
    size_t widest = strlen("JDK");
    for (uint32_t i = 0; i < l->count; i++) {
        size_t width = shorten_columns(l->rows[i].version);
        widest = width > widest ? width : widest;
    }
    return widest < VERSION_MAX ? widest : VERSION_MAX;
}

static void put_jvm(struct textbuf *t, const struct top_list_row *row, const struct top_choice *c,
                    size_t version)
{
    size_t before = TOP_LIST_BEFORE_VERSION + version + 1;

    char uptime[JVM_LIST_UPTIME];

    jvm_list_put_uptime(uptime, row->uptime_s);
    textbuf_printf(t, "%7d %-8.8s %6.1f ", (int)row->pid, row->user, row->cpu_percent);
    if (row->has_counters) {
        put_size(t, row->heap.used_bytes, 7);
        textbuf_char(t, row->heap.is_old ? '*' : ' ');
        put_size(t, row->heap.size_bytes, 7);
        textbuf_printf(t, " %5.1f", row->gc_percent);
    } else {
        textbuf_printf(t, "%7s %7s  %5s", "-", "-", "-");
    }
    textbuf_printf(t, " %7s ", uptime);
    put_text(t, row->version, version, version + 1);
    put_name(t, row->name, c->columns > before ? c->columns - before : 0, 0);
    textbuf_char(t, '\n');
}

void top_write_text_list(struct textbuf *t, struct top_list *l, const struct top_choice *c)
{
    uint32_t number = 0;
    size_t version = version_columns(l);
    top_list_sort(l, c);
    put_clock(t, l->made);
    textbuf_printf(t, " %u JVM%s, CPU %.1f %% of %ld00", l->count, plural_s(l->count),
                   l->cpu_percent, l->processors);
    if (l->hidden > 0)
        textbuf_printf(t, ", %u of other users that cannot be looked at", l->hidden);
    textbuf_printf(t, "\n\n%7s %-8s %6s %7s %7s  %5s %7s %-*s %s\n", "PID", "USER", "%CPU", "HEAP",
                   "SIZE", "%GC", "UPTIME", (int)version, "JDK", "NAME");
    for (uint32_t i = 0; i < l->count; i++)
        if (top_choice_has(c, l->rows[i].name) && is_shown(c, number++))
            put_jvm(t, &l->rows[i], c, version);
    put_left_out(t, c, number);
}

/* ---- JSON */

static void write_text(struct sink *s, const char *text)
{
    if (text)
        json_out_text(s, text, strlen(text));
    else
        sink_text(s, "null");
}

static void write_thread(struct sink *s, const struct top_thread *thread,
                         const struct top_choice *c)
{
    sink_printf(s, "{\"tid\":%d,\"name\":", (int)thread->tid);
    write_text(s, thread->name);
    sink_printf(s, ",\"java\":%s,\"cpu_percent\":%.2f", thread->is_java ? "true" : "false",
                thread->cpu_percent);
    if (thread->is_java)
        sink_printf(s, ",\"alloc_bytes_per_s\":%.0f", thread->alloc_rate);
    sink_printf(s, ",\"os_state\":\"%c\",\"state\":", thread->os_state);
    write_text(s, thread->state);
    sink_text(s, ",\"frames\":[");
    for (uint32_t i = 0; i < thread->frame_count && i < c->frames; i++) {
        sink_text(s, i > 0 ? "," : "");
        write_text(s, thread->frames[i]);
    }
    sink_text(s, "]}");
}

static void write_threads(struct sink *s, const struct top_page *p, const struct top_choice *c)
{
    uint32_t shown = 0;
    sink_text(s, ",\"threads\":[");
    for (uint32_t i = 0; i < p->count && (c->rows == 0 || shown < c->rows); i++) {
        if (!top_choice_has_thread(c, &p->threads[i]))
            continue;
        sink_text(s, shown++ > 0 ? "," : "");
        write_thread(s, &p->threads[i], c);
    }
    sink_text(s, "]");
}

static void write_methods(struct sink *s, const struct top_page *p, const struct top_choice *c)
{
    const struct top_methods *m = p->methods;
    sink_printf(s, ",\"methods\":{\"looks\":%u,\"seconds\":%.1f,\"seen\":%u,\"rows\":[", m->looks,
                p->methods_span_s, m->seen);
    for (uint32_t i = 0; i < m->count && i < c->methods; i++) {
        sink_text(s, i > 0 ? ",{\"name\":" : "{\"name\":");
        write_text(s, m->methods[i]->name);
        sink_printf(s, ",\"count\":%u}", m->methods[i]->count);
    }
    sink_text(s, "]}");
}

void top_write_json(struct sink *s, struct top_page *p, const struct top_choice *c)
{
    top_choice_sort_threads(c, p->threads, p->count);
    sink_printf(s, "{\"pid\":%d,\"main\":", (int)p->pid);
    write_text(s, p->name);
    sink_text(s, ",\"jdk\":");
    write_text(s, p->version);
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
    write_threads(s, p, c);
    write_methods(s, p, c);
    sink_text(s, "}\n");
}

static void write_jvm(struct sink *s, const struct top_list_row *row)
{
    sink_printf(s, "{\"pid\":%d,\"user\":", (int)row->pid);
    write_text(s, row->user);
    sink_text(s, ",\"main\":");
    write_text(s, row->name);
    sink_text(s, ",\"jdk\":");
    write_text(s, row->version);
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

void top_write_json_list(struct sink *s, struct top_list *l, const struct top_choice *c)
{
    uint32_t shown = 0;
    top_list_sort(l, c);
    sink_printf(s, "{\"cpu_percent\":%.2f,\"processors\":%ld,\"hidden\":%u,\"jvms\":[",
                l->cpu_percent, l->processors, l->hidden);
    for (uint32_t i = 0; i < l->count && (c->rows == 0 || shown < c->rows); i++) {
        if (!top_choice_has(c, l->rows[i].name))
            continue;
        sink_text(s, shown++ > 0 ? "," : "");
        write_jvm(s, &l->rows[i]);
    }
    sink_text(s, "]}\n");
}
