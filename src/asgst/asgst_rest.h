/*
 * asgst_rest.h - whether another thread has come back from its signal handlers.
 *
 * The handshake of the queues: no stock VM tells a library that a thread has polled, and a VM's
 * handshake does not wait for a handler in native code. The kernel's own record of the thread's
 * blocked signals says what is wanted, at any time, without stopping anybody.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "asgst/asgst_mark.h"
#include <stdbool.h>
#include <sys/types.h>

/** What was seen at earlier looks at the same visit. All 0 at first. */
struct asgst_rest {
    uint64_t visit, cpu_ns;
    uint32_t looks;
};

/**
 * Whether the thread has ended the visit numbered `visit`, whose mark is `m`.
 *
 * After a visit in a handler: yes when its signal is not blocked any more. Where nothing was
 * blocked (a handler with SA_NODEFER, a call outside of handlers) or the thread has blocked the
 * signal for other reasons: yes when the thread sleeps in the kernel, or has worked on for 1 ms
 * (where the thread has blocked the signal: 100 ms, and a hundred looks at its sleep). Yes also
 * when the thread has gone. Context: any, not signal.
 */
bool asgst_rest_is_over(struct asgst_rest *r, pid_t tid, const struct asgst_mark *m,
                        uint64_t visit);
