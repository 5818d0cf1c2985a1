/*
 * threads_json.c - see threads_json.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/threads_json.h"
#include <inttypes.h>
#include "attach/threaddump.h"
#include "base/sink.h"
#include "format/json_out.h"

static const char *const kinds[] = {
    [THREADDUMP_LOCKED] = "locked",
    [THREADDUMP_WAITING] = "waiting",
    [THREADDUMP_IN_WAIT] = "in_wait",
    [THREADDUMP_OTHER] = "other",
};

static void put_text(struct sink *s, const char *before, struct threaddump_text t)
{
    sink_text(s, before);
    json_out_text(s, t.at ? t.at : "", t.len);
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

static void put_locks(struct sink *s, const struct threaddump *d, const struct threaddump_thread *t)
{
    const char *parting = "";
    int frame = -1;

    for (uint32_t i = 0; i < t->count; i++) {
        const struct threaddump_line *l = &d->lines[t->first + i];
        if (l->lock == THREADDUMP_NO_LOCK) {
            frame++;
            continue;
        }
        sink_printf(s, "%s{\"kind\":\"%s\",\"frame\":%d", parting, kinds[l->lock], frame);
        put_text(s, ",\"object\":", l->object);
        put_text(s, ",\"class\":", l->class_name);
        put_text(s, ",\"text\":", l->text);
        sink_text(s, "}");
        parting = ",";
    }
}

void threads_json_put(struct sink *s, const struct threaddump *d, pid_t pid)
{
    sink_printf(s, "{\"pid\":%d,\"deadlocks\":%u,\"threads\":[", (int)pid, d->deadlocks);
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
        put_locks(s, d, t);
        sink_text(s, "]}");
    }
    sink_text(s, "]}\n");
}
