/*
 * asgst_rest.h - whether another thread has returned from its signal handlers.
 *
 * The consumer of a queue needs this answer. No stock VM tells a library that a thread has polled
 * for a safepoint, and a handshake of the VM does not wait for a handler that runs in native code.
 * The kernel's record of the thread's blocked signals gives the answer at any time, and no thread
 * is stopped for it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "asgst/asgst_mark.h"
#include <stdbool.h>
#include <sys/types.h>

/** The state of earlier looks at the same visit. All fields are 0 at first. */
struct asgst_rest {
    uint64_t visit, cpu_ns;
    uint32_t looks;
};

/**
 * Whether the thread has ended the visit with the number `visit`, whose mark is `m`.
 *
 * If the visit was in a handler: yes as soon as the handler's signal is not blocked any more. If
 * the visit had nothing blocked (a handler with SA_NODEFER, or a call outside of handlers): yes
 * when the thread sleeps in the kernel, or has used 1 ms of CPU time since. If the signal stays
 * blocked because the thread itself blocks it: yes when the thread has used 100 ms of CPU time
 * since, or sleeps after a hundred looks. If the thread has ended: yes.
 * Context: any, not signal.
 */
bool asgst_rest_is_over(struct asgst_rest *r, pid_t tid, const struct asgst_mark *m,
                        uint64_t visit);
