/*
 * hprof_text_monitor.c - see hprof_text_monitor.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_text_monitor.h"
#include <inttypes.h>
#include "base/sink.h"
#include "format/hprof_out.h"
#include "format/hprof_text.h"

static void put_wait(struct hprof_out *o, const char *word, string_id signature, const char *what,
                     int64_t ms, uint32_t thread)
{
    sink_printf(o->sink, "%s: MONITOR ", word);
    hprof_text_name(o, signature);
    sink_printf(o->sink, ", %s=%" PRId64 ", ", what, ms);
    if (thread)
        sink_printf(o->sink, "thread %" PRIu32 "\n", thread);
    else
        sink_text(o->sink, "<unknown thread>\n");
}

void hprof_text_monitor_wait(struct hprof_out *o, string_id signature, int64_t ms, uint32_t thread)
{
    put_wait(o, "WAIT", signature, "timeout", ms, thread);
}

void hprof_text_monitor_waited(struct hprof_out *o, string_id signature, int64_t ms,
                               uint32_t thread)
{
    put_wait(o, "WAITED", signature, "time_waited", ms, thread);
}

static void put_threads(struct hprof_out *o, const char *title, const uint32_t *serials,
                        uint32_t count)
{
    sink_printf(o->sink, "\t%s:", title);
    for (uint32_t i = 0; i < count; i++)
        sink_printf(o->sink, "%s thread %" PRIu32, i > 0 ? "," : "", serials[i]);
    sink_text(o->sink, "\n");
}

static void put_monitor(struct hprof_out *o, const struct hprof_text_monitor *m)
{
    sink_text(o->sink, m->is_raw ? "    RAW MONITOR " : "    MONITOR ");
    hprof_text_name(o, m->signature);
    if (m->owner)
        sink_printf(o->sink, "\n\towner: thread %" PRIu32 ", entry count: %" PRIu32 "\n", m->owner,
                    m->entry_count);
    else if (m->has_unknown_owner)
        sink_printf(o->sink, "\n\towner: <unknown thread>, entry count: %" PRIu32 "\n",
                    m->entry_count);
    else
        sink_text(o->sink, " unowned\n");
    put_threads(o, "waiting to enter", m->entering, m->entering_count);
    put_threads(o, "waiting to be notified", m->waiting, m->waiting_count);
}

void hprof_text_monitor_dump(struct hprof_out *o, const struct hprof_text_monitor_dump *dump)
{
    sink_text(o->sink, "MONITOR DUMP BEGIN\n");
    for (uint32_t i = 0; i < dump->thread_count; i++) {
        const struct hprof_text_monitor_thread *t = &dump->threads[i];
        uint32_t serial =
            t->trace ? profile_trace_at(o->profile, t->trace)->serial : PROFILE_TRACE_SYSTEM;
        sink_printf(o->sink, "    THREAD %" PRIu32 ", trace %" PRIu32 ", status: %s\n", t->serial,
                    serial, t->status);
    }
    for (uint32_t i = 0; i < dump->monitor_count; i++)
        put_monitor(o, &dump->monitors[i]);
    sink_text(o->sink, "MONITOR DUMP END\n");
}
