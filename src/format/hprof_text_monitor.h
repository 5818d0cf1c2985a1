/*
 * hprof_text_monitor.h - what monitor=y writes in addition to MONITOR TIME: WAIT and WAITED lines,
 * and MONITOR DUMP.
 *
 * Only for the text form: the binary form has no such records. Layout: docs/format/hprof-text.md.
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
    /* The flags S| intr| native| and then one of the words ZO NS SL MW CW R UN. */
    char status[HPROF_TEXT_MONITOR_STATUS];
};

/** A monitor in a MONITOR DUMP. Threads are serial numbers. */
struct hprof_text_monitor {
    /* A class signature; for a raw monitor its name in quotes and its address. */
    string_id signature;
    uint32_t owner; /* 0: nobody, or a thread without a serial number */
    uint32_t entry_count;
    uint32_t *entering, *waiting; /* threads that wait to enter; that wait to be notified */
    uint32_t entering_count, waiting_count;
    bool is_raw, has_unknown_owner;
};

struct hprof_text_monitor_dump {
    const struct hprof_text_monitor_thread *threads;
    const struct hprof_text_monitor *monitors;
    uint32_t thread_count, monitor_count;
};

/** Write a WAIT or a WAITED line. `ms` is the timeout of the WAIT (0: none), or how long the WAITED
 * took. `thread` 0: unknown. */
void hprof_text_monitor_wait(struct hprof_out *o, string_id signature, int64_t ms, uint32_t thread);
void hprof_text_monitor_waited(struct hprof_out *o, string_id signature, int64_t ms,
                               uint32_t thread);
/** Write a MONITOR DUMP, whose TRACEs must be in the file already. */
void hprof_text_monitor_dump(struct hprof_out *o, const struct hprof_text_monitor_dump *dump);
