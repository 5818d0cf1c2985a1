/*
 * threads_json.c - see threads_json.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/threads_json.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "attach/threaddump.h"
#include "base/sink.h"
#include "jvm/threads_outside.h"
#include "format/json_out.h"

enum { FRAME_BYTES = 2048 };

static const char *const kinds[] = {
    [THREADDUMP_LOCKED] = "locked",   [THREADDUMP_WAITING] = "waiting",
    [THREADDUMP_IN_WAIT] = "in_wait", [THREADDUMP_OWNED] = "owned",
    [THREADDUMP_OTHER] = "other",
};

static void put_text(struct sink *s, const char *before, struct threaddump_text t)
{
    sink_text(s, before);
    json_out_text(s, t.at ? t.at : "", t.len);
}

static void put_string(struct sink *s, const char *before, const char *text)
{
    put_text(s, before, (struct threaddump_text){text, strlen(text)});
}

static void put_frames(struct sink *s, const struct threaddump *d,
                       const struct threaddump_thread *t)
{
    const char *parting = "";
    for (uint32_t i = 0; i < t->count; i++) {
        const struct threaddump_line *l = &d->lines[t->first + i];
        if (l->lock != THREADDUMP_NO_LOCK)
            continue;
        put_text(s, parting, l->text);
        parting = ",";
    }
}

static void put_locks(struct sink *s, const struct threaddump *d, const struct threads_outside *o,
                      const struct threaddump_thread *t)
{
    const char *holder = NULL;

    const char *parting = "";
    int frame = -1;

    for (uint32_t i = 0; i < t->count; i++) {
        const struct threaddump_line *l = &d->lines[t->first + i];
        if (l->lock == THREADDUMP_NO_LOCK) {
            frame++;
            continue;
        }
        sink_printf(s, "%s{\"kind\":\"%s\",\"frame\":%d", parting, kinds[l->lock],
                    l->lock == THREADDUMP_OWNED ? -1 : frame);
        put_text(s, ",\"object\":", l->object);
        put_text(s, ",\"class\":", l->class_name);
        put_text(s, ",\"text\":", l->text);
        holder = l->lock == THREADDUMP_WAITING ? threads_outside_holder(o, t) : NULL;
        if (holder)
            put_string(s, ",\"holder\":", holder);
        sink_text(s, "}");
        parting = ",";
    }
}

/* Writes a virtual thread that is not mounted, which the JVM's dump does not have. */
static void put_virtual(struct sink *s, const struct snapshot_thread *thread)
{
    const char *parting = "";
    put_string(s, ",\n{\"name\":", thread->java->name ? thread->java->name : "");
    sink_printf(s, ",\"id\":%" PRId64 ",\"virtual\":true", thread->java->id);
    put_string(s, ",\"state\":", java_threads_state(thread->java->status));
    sink_text(s, ",\"frames\":[");
    for (uint32_t i = 0; i < thread->frame_count; i++) {
        const struct snapshot_frame *f = &thread->frames[i];
        char text[FRAME_BYTES];
        if (!f->method)
            continue;
        snprintf(text, sizeof(text), f->line >= 0 ? "%s.%s(%s:%d)" : "%s.%s(%s)",
                 f->method->class_name, f->method->name,
                 f->method->source_file ? f->method->source_file : "Unknown Source", f->line);
        put_string(s, parting, text);
        parting = ",";
    }
    sink_text(s, "],\"locks\":[]}");
}

static const char *name_of(const struct java_thread *row)
{
    const char *name = row->virtual_object != 0 ? row->virtual_name : row->name;
    return name ? name : "";
}

/* Writes the threads of each deadlock: first those that the JVM found, then those with virtual
 * threads. */
static void put_deadlocks(struct sink *s, const struct threaddump *d,
                          const struct snapshot *outside)
{
    const char *parting = "";
    sink_text(s, "],\n\"deadlock_threads\":[");
    for (uint32_t i = 0; i < d->dead_count; i++) {
        bool is_first = i == 0 || d->dead[i - 1].deadlock != d->dead[i].deadlock;
        put_text(s, !is_first ? "," : i == 0 ? "[" : "],[", d->dead[i].name);
        parting = ",";
    }
    sink_text(s, d->dead_count > 0 ? "]" : "");
    for (uint32_t i = 0; i < outside->locks.deadlock_count; i++) {
        const struct java_deadlock *circle = &outside->locks.deadlocks[i];
        sink_text(s, parting);
        for (uint32_t n = 0; n < circle->count; n++)
            put_string(s, n > 0 ? "," : "[",
                       name_of(&outside->java.rows[outside->locks.rows[circle->locks[n]].thread]));
        sink_text(s, "]");
        parting = ",";
    }
    sink_text(s, "]");
}

void threads_json_put(struct sink *s, const struct threaddump *d, const struct threads_outside *o,
                      pid_t pid)
{
    const struct snapshot *outside = &o->snapshot;
    sink_printf(s, "{\"pid\":%d,\"deadlocks\":%u,\"threads\":[", (int)pid,
                d->deadlocks + outside->locks.deadlock_count);
    for (uint32_t i = 0; i < d->count; i++) {
        const struct threaddump_thread *t = &d->threads[i];
        put_text(s, i > 0 ? ",\n{\"name\":" : "\n{\"name\":", t->name);
        if (t->id >= 0)
            sink_printf(s, ",\"id\":%" PRId64, t->id);
        if (t->state.len > 0)
            put_text(s, ",\"state\":", t->state);
        put_text(s, ",\"head\":", t->head);
        sink_text(s, ",\"frames\":[");
        put_frames(s, d, t);
        sink_text(s, "],\"locks\":[");
        put_locks(s, d, o, t);
        sink_text(s, "]}");
    }
    for (uint32_t i = outside->java.platform_count; i < outside->java.count; i++)
        put_virtual(s, &outside->threads[i]);
    put_deadlocks(s, d, outside);
    sink_printf(s, ",\"virtual_unlisted\":%s}\n", o->has_unlisted ? "true" : "false");
}
