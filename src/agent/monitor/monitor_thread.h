/*
 * monitor_thread.h - what the monitor engine keeps for each thread.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdbool.h>
#include <stdint.h>
#include "agent/blocked/blocked.h"
#include "agent/threads.h"

/** Written by the thread itself; `waits_for` is also read by a dump, under a lock of its own. */
struct monitor_thread {
    struct blocked_thread blocked; /* first */
    uint32_t row, park_row;        /* of what it wants to enter; of what parks it */
    bool is_parking;               /* park_row has been taken */
    jobject waits_for;             /* global reference; see monitor_dump.h */
};

extern struct vm_threads_row monitor_thread_row;

static inline struct monitor_thread *monitor_thread_of(const struct thread *t)
{
    return vm_threads_slot(t->vm, &monitor_thread_row);
}
