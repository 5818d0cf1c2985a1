/*
 * bell.c - see bell.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/bell.h"
#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "safe/clock.h"

void bell_ring(struct bell *b)
{
    int saved = errno;
    if (!atomic_exchange(&b->has_rung, 1))
        syscall(SYS_futex, &b->has_rung, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = saved;
}

int bell_wait(struct bell *b, uint32_t ms)
{
    uint64_t now = clock_monotonic_ns(), end = now + (uint64_t)ms * NS_PER_MS;
    for (; !atomic_exchange(&b->has_rung, 0); now = clock_monotonic_ns()) {
        if (now >= end)
            return 0;
        struct timespec rest = {(time_t)((end - now) / NS_PER_S), (long)((end - now) % NS_PER_S)};

        /* This wait ends at once if the bell has rung meanwhile, and early if a signal comes. */
        syscall(SYS_futex, &b->has_rung, FUTEX_WAIT_PRIVATE, 0, &rest, NULL, 0);
    }
    return 1;
}
