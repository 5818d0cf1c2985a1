/*
 * timer_ctimer.c - POSIX timers on the CPU clock of each thread.
 *
 * They need no permission. The kernel looks at them on its tick, so if HZ is 250 they fire at most
 * every 4 ms; a sample then weighs as many intervals as have passed.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/timer/timer.h"
#include <time.h>
#include <unistd.h>
#include "base/os_thread.h"

static int probe(void)
{
    return timer_posix_probe(os_thread_clock(gettid()));
}

static int arm(struct tick *t, struct tick_slot *slot, uint64_t first_ns)
{
    return timer_posix_arm(t, slot, os_thread_clock(slot->tid), first_ns);
}

const struct timer_source timer_ctimer = {
    .name = "ctimer",
    .quality = QUALITY_CTIMER,
    .help = "POSIX timers on each thread's CPU clock: no permission needed, 4 ms at best",
    .has_realtime = true,
    .probe = probe,
    .arm = arm,
    .disarm = timer_posix_disarm,
    .release = timer_posix_release,
    .restart = timer_posix_restart,
};
