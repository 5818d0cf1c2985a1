/*
 * timer_monotonic.c - POSIX timers on wall time; the handler reads the thread's CPU clock to see
 * whether an interval of CPU time has passed.
 *
 * These timers are fine-grained and need no permission, but they also wake idle threads and
 * interrupt their system calls. So they are used only if the user asks for them, or if no CPU clock
 * timer works.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/timer/timer.h"
#include <time.h>

static int probe(void)
{
    return timer_posix_probe(CLOCK_MONOTONIC);
}

static int arm(struct tick *t, struct tick_slot *slot, uint64_t first_ns)
{
    return timer_posix_arm(t, slot, CLOCK_MONOTONIC, first_ns);
}

const struct timer_source timer_monotonic = {
    .name = "monotonic",
    .quality = QUALITY_MONOTONIC,
    .help = "POSIX timers on wall time, filtered by CPU time: fine, but wakes idle threads",
    .has_realtime = true,
    .probe = probe,
    .arm = arm,
    .disarm = timer_posix_disarm,
    .release = timer_posix_release,
    .restart = timer_posix_restart,
};
