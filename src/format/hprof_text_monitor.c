/*
 * hprof_text_monitor.c - see hprof_text_monitor.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_text_monitor.h"
#include <inttypes.h>
#include "base/sink.h"
#include "format/hprof_out.h"
#include "format/hprof_serial.h"
#include "format/hprof_text.h"
#include "format/writer_monitors.h"

void hprof_text_monitor_wait(struct writer_out *w, const struct writer_wait *wait)
{
    struct hprof_out *o = w->state;
    sink_printf(o->sink, "%s: MONITOR ", wait->has_ended ? "WAITED" : "WAIT");
    hprof_text_name(o, wait->object);
    sink_printf(o->sink, ", %s=%" PRId64 ", ", wait->has_ended ? "time_waited" : "timeout",
                wait->ms);
    if (wait->thread)
        sink_printf(o->sink, "thread %" PRIu32 "\n", wait->thread);
    else
        sink_text(o->sink, "<unknown thread>\n");
}

static void put_threads(struct hprof_out *o, const char *title, const uint32_t *serials,
                        uint32_t count)
{
    sink_printf(o->sink, "\t%s:", title);
    for (uint32_t i = 0; i < count; i++)
        sink_printf(o->sink, "%s thread %" PRIu32, i > 0 ? "," : "", serials[i]);
    sink_text(o->sink, "\n");
}

static void put_monitor(struct hprof_out *o, const struct writer_monitors_monitor *m)
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

void hprof_text_monitor_dump(struct writer_out *w, const struct writer_monitors *dump)
{
    struct hprof_out *o = w->state;
    hprof_text_traces(o);
    sink_text(o->sink, "MONITOR DUMP BEGIN\n");
    for (uint32_t i = 0; i < dump->thread_count; i++) {
        const struct writer_monitors_thread *t = &dump->threads[i];
        uint32_t serial =
            t->trace ? hprof_serial_trace(o->profile, t->trace) : HPROF_SERIAL_TRACE_SYSTEM;
        sink_printf(o->sink, "    THREAD %" PRIu32 ", trace %" PRIu32 ", status: %s\n", t->serial,
                    serial, t->status);
    }
    for (uint32_t i = 0; i < dump->monitor_count; i++)
        put_monitor(o, &dump->monitors[i]);
    sink_text(o->sink, "MONITOR DUMP END\n");
}
