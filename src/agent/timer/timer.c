/*
 * timer.c - chooses a timer source; POSIX timers, which two of the sources share.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/timer/timer.h"
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/os_thread.h"
#include "options/options_signal.h"
#include "safe/clock.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static bool can_raise(const struct timer_source *source, int signal)
{
    return source->has_realtime || !options_signal_is_realtime(signal);
}

const struct timer_source *timer_choose(const char *name, int signal)
{
    for (int i = 0; timer_all[i]; i++) {
        const struct timer_source *source = timer_all[i];
        if (name[0] ? strcmp(source->name, name) == 0
                    : can_raise(source, signal) && source->probe() == 0)
            return source;
    }
    return NULL;
}

/* An early signal still counts as a sample if it comes in the second half of its interval. */
int timer_start(const struct timer_source *source, struct tick *t, struct tick_slot *slot,
                uint64_t first_ns)
{
    struct timespec used;
    if (clock_gettime(os_thread_clock(slot->tid), &used) != 0)
        return -errno;
    slot->leeway_ns = source->is_early ? slot->interval_ns / 2 : 0;
    atomic_store(&slot->due_ns, (int64_t)used.tv_sec * NS_PER_S + used.tv_nsec + (int64_t)first_ns -
                                    (int64_t)slot->leeway_ns);
    return source->arm(t, slot, first_ns);
}

/* Making a timer can fail: the kernel reserves room for the timer's signal within `ulimit -i`. */
int timer_posix_probe(int clock)
{
    struct sigevent event;
    timer_t id;
    memset(&event, 0, sizeof(event));
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGPROF;
    event.sigev_notify_thread_id = gettid();
    if (timer_create(clock, &event, &id) != 0)
        return -errno;
    timer_delete(id);
    return 0;
}

int timer_posix_arm(struct tick *t, struct tick_slot *slot, int clock, uint64_t first_ns)
{
    struct itimerspec when = {clock_timespec(slot->interval_ns),
                              clock_timespec(first_ns ? first_ns : 1)};
    struct sigevent event;
    int error;
    memset(&event, 0, sizeof(event));
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = t->signal;
    event.sigev_value.sival_ptr = slot;
    event.sigev_notify_thread_id = slot->tid;
    if (timer_create(clock, &event, &slot->timer.id) != 0)
        return -errno;
    slot->timer.is_armed = 1;
    slot->timer.signal = (uint8_t)t->signal;
    if (timer_settime(slot->timer.id, 0, &when, NULL) != 0) {
        error = -errno;
        timer_posix_disarm(t, slot);
        return error;
    }
    return 0;
}

void timer_posix_disarm(struct tick *t, struct tick_slot *slot)
{
    if (slot->timer.is_armed)
        timer_delete(slot->timer.id);
    slot->timer.is_armed = 0;
}

/*
 * The timer's id is used by no handler, and a signal that is still on its way still belongs to the
 * slot. So the timer can be deleted at any time.
 */
int timer_posix_release(struct tick *t, struct tick_slot *slot)
{
    timer_posix_disarm(t, slot);
    return 0;
}

/*
 * A timer rests from the moment when it sends its signal until the signal arrives. If the signal
 * was thrown away, the timer rests for ever. Kernels before 6.13 throw it away while the
 * application ignores the signal.
 */
void timer_posix_restart(struct tick_slot *slot)
{
    struct itimerspec when = {clock_timespec(slot->interval_ns), clock_timespec(slot->interval_ns)};
    if (slot->timer.is_armed)
        timer_settime(slot->timer.id, 0, &when, NULL);
}
