/*
 * hprof_text_monitor.h - what monitor=y writes besides MONITOR TIME: WAIT and WAITED lines, MONITOR
 * DUMP.
 *
 * Text only: the binary form has no such records. Layout: docs/format/hprof-text.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/profile.h"

struct hprof_out;

enum { HPROF_TEXT_MONITOR_STATUS = 24 };

/** A thread in a MONITOR DUMP. */
struct hprof_text_monitor_thread {
    uint32_t serial;
    trace_id trace;
    char status[HPROF_TEXT_MONITOR_STATUS]; /* S| intr| native| and ZO NS SL MW CW R UN */
};

/** A monitor in a MONITOR DUMP. Threads are serials. */
struct hprof_text_monitor {
    string_id signature; /* of a raw monitor: its name in quotes and its address */
    uint32_t owner;      /* 0: nobody, or a thread without a serial */
    uint32_t entry_count;
    uint32_t *entering, *waiting; /* to enter; to be notified */
    uint32_t entering_count, waiting_count;
    bool is_raw, has_unknown_owner;
};

struct hprof_text_monitor_dump {
    const struct hprof_text_monitor_thread *threads;
    const struct hprof_text_monitor *monitors;
    uint32_t thread_count, monitor_count;
};

/** `ms` is the timeout of a WAIT (0: none), or the time that a WAITED took. `thread` 0: unknown. */
void hprof_text_monitor_wait(struct hprof_out *o, string_id signature, int64_t ms, uint32_t thread);
void hprof_text_monitor_waited(struct hprof_out *o, string_id signature, int64_t ms,
                               uint32_t thread);
/** The TRACEs of the dump must be in the file. */
void hprof_text_monitor_dump(struct hprof_out *o, const struct hprof_text_monitor_dump *dump);
