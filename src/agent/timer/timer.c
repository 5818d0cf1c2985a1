/*
 * timer.c - choosing a timer source, and the POSIX timers that two of them share.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/timer/timer.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

int timer_exists(const char *name)
{
    for (int i = 0; timer_all[i]; i++)
        if (!name[0] || strcmp(name, timer_all[i]->name) == 0)
            return 1;
    return 0;
}

const struct timer_source *timer_choose(const char *name)
{
    for (int i = 0; timer_all[i]; i++) {
        if (name[0] ? strcmp(timer_all[i]->name, name) == 0 : timer_all[i]->probe() == 0)
            return timer_all[i];
    }
    return NULL;
}

static struct timespec timespec_of(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
}

/* Source: kernel, include/linux/posix-timers.h (MAKE_THREAD_CPUCLOCK, CPUCLOCK_SCHED). */
int timer_thread_clock(int tid)
{
    return (int)((~(unsigned)tid << 3) | 4 | 2);
}

int timer_set_due(struct tick_slot *slot, uint64_t first_ns, uint64_t leeway_ns)
{
    struct timespec used;

    if (clock_gettime(timer_thread_clock(slot->tid), &used) != 0)
        return -errno;
    slot->leeway_ns = leeway_ns;
    slot->due_ns =
        (int64_t)used.tv_sec * 1000000000 + used.tv_nsec + (int64_t)first_ns - (int64_t)leeway_ns;
    return 0;
}

int timer_posix_arm(struct tick_slot *slot, int clock, uint64_t first_ns)
{
    struct itimerspec when = {timespec_of(slot->interval_ns), timespec_of(first_ns ? first_ns : 1)};
    struct sigevent event;
    int error = timer_set_due(slot, first_ns, 0);

    if (error)
        return error;
    memset(&event, 0, sizeof(event));
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGPROF;
    event.sigev_value.sival_ptr = slot;
    event.sigev_notify_thread_id = slot->tid;
    if (timer_create(clock, &event, &slot->timer) != 0)
        return -errno;
    slot->armed = 1;
    if (timer_settime(slot->timer, 0, &when, NULL) != 0) {
        error = -errno;
        slot->armed = 0;
        timer_delete(slot->timer);
        return error;
    }
    return 0;
}

void timer_posix_disarm(struct tick *t, struct tick_slot *slot)
{
    if (slot->armed)
        timer_delete(slot->timer);
    slot->armed = 0;
}

/* A timer rests from its signal's way out until the signal arrives: never, if it was thrown away,
 * as kernels before 6.13 do when the application ignores SIGPROF. */
void timer_posix_restart(struct tick_slot *slot)
{
    struct itimerspec when = {timespec_of(slot->interval_ns), timespec_of(slot->interval_ns)};

    if (slot->armed)
        timer_settime(slot->timer, 0, &when, NULL);
}
