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
#include "agent/threads.h"

/** One time that a thread is blocked, from its begin to its end. */
struct monitor_thread_blocked {
    uint32_t row; /* of what blocks it */
    /* From when on it is not counted yet, which a recording that begins moves on; 0: it is not
     * blocked. Written after `row`. */
    _Atomic uint64_t since_ns;
};

/** Written by the thread itself; `waits_for` is also read by a dump, under a lock of its own. */
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
