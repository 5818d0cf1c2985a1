/*
 * bell.h - a thread waits until another one, or a signal handler, rings.
 *
 * A ring that nobody waits for is kept; several are one. The time is the monotonic clock's: where
 * somebody sets the wall clock back, sem_timedwait() would wait so much longer.
 * Source: futex(2), whose relative timeouts are measured so.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct bell {
    _Atomic uint32_t has_rung; /* all 0 at first */
};

/** Keeps errno. Context: signal. */
void bell_ring(struct bell *b);
/** Waits for the bell. Returns 1 when it has rung, and makes it quiet again; 0 when `ms`
 * milliseconds are over. Only one thread may wait. Context: any, not signal. */
int bell_wait(struct bell *b, uint32_t ms);
