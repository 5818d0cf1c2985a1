/*
 * monitor_thread.h - what the monitor engine keeps for each thread.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdbool.h>
#include <stdint.h>
#include "agent/threads.h"

/** Written by the thread itself; `waits_for` is also read by a dump, under a lock of its own. */
struct monitor_thread {
    uint64_t enter_ns, wait_ns, park_ns; /* when it began; 0: it does not */
    uint32_t row, park_row;              /* of what it wants to enter; of what parks it */
    bool is_parking;                     /* in a method that will park */
    jobject waits_for;                   /* global reference; see monitor_dump.h */
};

extern struct vm_threads_row monitor_thread_row;

static inline struct monitor_thread *monitor_thread_of(const struct thread *t)
{
    return vm_threads_slot(t->vm, &monitor_thread_row);
}
