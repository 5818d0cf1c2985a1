/*
 * writer_monitors.h - threads, monitors and waits, for writer_monitors() and writer_wait().
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "profile/ids.h"

enum { WRITER_MONITORS_STATUS = 24 };

/** A thread. */
struct writer_monitors_thread {
    uint32_t serial;
    trace_id trace;
    /* The flags S| intr| native| and then one of the words ZO NS SL MW CW R UN. */
    char status[WRITER_MONITORS_STATUS];
};

/** A monitor. Threads are serial numbers. */
struct writer_monitors_monitor {
    /* A class signature; for a raw monitor its name in quotes and its address. */
    string_id signature;
    uint32_t owner; /* 0: nobody, or a thread without a serial number */
    uint32_t entry_count;
    uint32_t *entering, *waiting; /* threads that wait to enter; that wait to be notified */
    uint32_t entering_count, waiting_count;
    bool is_raw, has_unknown_owner;
};

/** The threads and monitors at one moment. */
struct writer_monitors {
    const struct writer_monitors_thread *threads;
    const struct writer_monitors_monitor *monitors;
    uint32_t thread_count, monitor_count;
};

/** A thread begins a wait (Object.wait), or has ended it. */
struct writer_wait {
    string_id object; /* the class of the monitor, as the VM names it */
    bool has_ended;
    int64_t ms;      /* the timeout of the wait (0: none); after its end, how long it took */
    uint32_t thread; /* serial number; 0: unknown */
};
