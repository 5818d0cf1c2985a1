/*
 * gaps.c - see gaps.h.
 *
 * A late signal is no gap: a thread that stays in the kernel for long takes the signal when it
 * comes back. So a timer is believed to stand still only if three things hold. First, the thread's
 * clock has gone on by an interval and ten times the time between two looks of a kernel at its
 * timers. Second, no sample was taken. Third, either the signal is blocked, or the timer has not
 * gone on and the signal is not pending.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/sampling/gaps.h"
#include <stdbool.h>
#include <unistd.h>
#include "agent/timer/timer.h"
#include "base/os_thread.h"

enum {
    /*
     * If HZ is 100, the kernel looks at the timers of a running thread every 10 ms. A thread that
     * runs in short pieces is missed for n times as long with a probability of exp(-n).
     */
    STILL_NS = 100 * 1000 * 1000,
    SLOTS_A_LOOK = 64, /* there are ten looks in a second; a thread that has not run costs 0.3 us */
};

/*
 * A count that goes on as long as a perf event works; 0 for POSIX timers, which have no such count.
 */
static uint64_t count_of(struct tick_slot *slot)
{
    int fd = atomic_load(&slot->timer.fd);
    uint64_t count = 0;
    return fd >= 0 && read(fd, &count, sizeof(count)) == (ssize_t)sizeof(count) ? count : 0;
}

static bool has(uint64_t signals, int signal)
{
    return signals >> (signal - 1) & 1;
}

/* TICK_NOT_MISSED: the signal is on its way, or the thread's state cannot be read. */
static enum tick_miss why_missed(const struct tick_slot *slot)
{
    struct os_thread_status now;
    if (os_thread_read_status(slot->tid, &now) != 0)
        return TICK_NOT_MISSED;
    if (has(now.blocked, slot->timer.signal))
        return TICK_SIGNAL_BLOCKED;
    return has(now.pending, slot->timer.signal) ? TICK_NOT_MISSED : TICK_SIGNAL_LOST;
}

static void restart(struct tick_slot *slot)
{
    timer_all[slot->timer.source]->restart(slot);
}

static void look_at(struct tick *t, struct tick_slot *slot)
{
    int64_t due_ns = atomic_load(&slot->due_ns);
    uint64_t cpu_ns = os_thread_cpu_ns(slot->tid), count = 0;
    enum tick_miss why;
    if (due_ns == slot->looked.due_ns &&
        cpu_ns <= slot->looked.cpu_ns + slot->interval_ns + STILL_NS)
        return; /* the thread has hardly run */
    count = count_of(slot);
    if (due_ns == slot->looked.due_ns) {
        why = why_missed(slot);
        if (why == TICK_NOT_MISSED)
            return;
        if (why == TICK_SIGNAL_BLOCKED || count == slot->looked.count)
            tick_miss(t, slot, (int64_t)cpu_ns, why);
        if (why == TICK_SIGNAL_LOST && count == slot->looked.count)
            restart(slot);
        due_ns = atomic_load(&slot->due_ns);
    }
    slot->looked.due_ns = due_ns;
    slot->looked.count = count;
    slot->looked.cpu_ns = cpu_ns;
}

uint32_t gaps_look(struct tick *t, uint32_t count, uint32_t at)
{
    for (uint32_t i = 0, seen = 0; i < count && seen < SLOTS_A_LOOK; i++) {
        struct tick_slot *slot = &t->slots[at++ % count];
        if (!atomic_load(&slot->used) || !slot->timer.is_armed)
            continue;
        seen++;
        look_at(t, slot);
    }
    return count > 0 ? at % count : at;
}

void gaps_end(struct tick *t, struct tick_slot *slot)
{
    if (!slot->timer.is_armed)
        return;
    tick_miss(t, slot, (int64_t)os_thread_cpu_ns(slot->tid), TICK_SIGNAL_LOST);
    restart(slot);
}
