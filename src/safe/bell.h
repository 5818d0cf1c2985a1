/*
 * bell.h - a thread waits until another thread, or a signal handler, rings.
 *
 * If no thread waits, the ring is kept for the next wait; several kept rings count as one. The wait
 * is measured on the monotonic clock. (With sem_timedwait(), a wall clock that is set back by one
 * hour would make the wait one hour longer.)
 * Source: futex(2), whose relative timeouts are measured by the monotonic clock.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct bell {
    _Atomic uint32_t has_rung; /* 0 at first */
};

/** Ring. Keeps errno. Context: signal. */
void bell_ring(struct bell *b);
/** Wait for the bell. Returns 1 when the bell has rung, and makes it quiet again; returns 0 when
 * `ms` milliseconds are over. Only one thread may wait. Context: any, not signal. */
int bell_wait(struct bell *b, uint32_t ms);
