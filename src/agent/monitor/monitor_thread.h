/*
 * monitor_thread.h - what the monitor engine keeps for each thread.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdatomic.h>
#include <stdint.h>
#include "agent/blocked/blocked.h"
#include "agent/names/threads.h"

/** A time that a thread is blocked, from its beginning to its end. */
struct monitor_thread_blocked {
    uint32_t row; /* the row of what blocks the thread */
    /*
     * The time from which on the wait is not counted yet; a recording that begins moves it on. 0:
     * the thread is not blocked. Written after `row`.
     */
    _Atomic uint64_t since_ns;
};

/** Written by the thread itself. A dump also reads `waits_for`, under a lock of its own. */
struct monitor_thread {
    struct blocked_thread blocked; /* first */
    struct monitor_thread_blocked enter, park;
    jobject waits_for; /* global reference; see monitor_dump.h */
};

extern struct vm_threads_row monitor_thread_row;

static inline struct monitor_thread *monitor_thread_of(const struct thread *t)
{
    return vm_threads_slot(t->vm, &monitor_thread_row);
}
