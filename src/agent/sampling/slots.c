/*
 * slots.c - see slots.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/sampling/slots.h"
#include <errno.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/names/threads.h"
#include "agent/sampling/gaps.h"
#include "agent/timer/fd_room.h"
#include "base/lock.h"
#include "base/os_thread.h"
#include "base/splitmix.h"
#include "safe/clock.h"

/* The list is read after so many looks, even if the thread count has not changed. */
enum { FULL_LOOK_EVERY = 20 };

void slots_init(struct slots *s, struct tick *tick, const struct timer_source *source,
                const struct vm_threads_row *per_thread, uint64_t interval_ns)
{
    memset(s, 0, sizeof(*s));
    s->tick = tick;
    s->source = source;
    s->per_thread = per_thread;
    s->interval_ns = interval_ns;
    s->seed = clock_monotonic_ns() ^ (uint64_t)getpid() << 32;
    lock_init(&s->lock, LOCK_SLOTS);
}

/*
 * The first tick comes after a random part of an interval. So threads that live shorter than an
 * interval are sampled as often as their CPU time deserves.
 */
static uint64_t random_phase(struct slots *s)
{
    return splitmix_next(&s->seed) % s->interval_ns + 1;
}

typedef int start_timer(const struct timer_source *, struct tick *, struct tick_slot *,
                        uint64_t first_ns);

static int start_again(const struct timer_source *source, struct tick *t, struct tick_slot *slot,
                       uint64_t first_ns)
{
    return source->arm(t, slot, first_ns);
}

/*
 * Start a timer of the chosen source; if it fails, of the next source that works. For example perf
 * may have no descriptors left.
 */
static int arm(struct slots *s, struct tick_slot *slot, start_timer *start, uint64_t first_ns)
{
    int i = 0, error = -ENOSYS;
    while (timer_all[i] != s->source)
        i++;
    for (; timer_all[i]; i++) {
        error = start(timer_all[i], s->tick, slot, first_ns);
        if (error)
            continue;
        slot->timer.source = (uint8_t)i;
        s->armed[i]++;
        if (s->tick->kernel_page && !atomic_load(&slot->kernel_ring))
            s->without_kernel++;
        return 0;
    }
    return error;
}

static void disarm(struct slots *s, struct tick_slot *slot)
{
    for (int i = 0; timer_all[i]; i++)
        timer_all[i]->disarm(s->tick, slot);
}

static void refuse(struct slots *s, int error)
{
    s->refused++;
    s->refused_error = error;
}

static struct tick_slot *open_slot(struct slots *s, int32_t tid, const struct tick_slot *pattern)
{
    struct tick_slot *slot = tick_slot_open(s->tick);
    if (!slot) {
        refuse(s, -ENOMEM);
        return NULL;
    }
    slot->serial = pattern->serial;
    slot->kind = pattern->kind;
    slot->jni_env = pattern->jni_env;
    slot->java_thread = pattern->java_thread;
    memcpy(slot->name, pattern->name, sizeof(slot->name));
    slot->tid = tid;
    slot->is_off = (uint32_t)s->is_off;
    slot->interval_ns = s->interval_ns;
    if ((uint32_t)(slot - s->tick->slots) >= s->high)
        s->high = (uint32_t)(slot - s->tick->slots) + 1;
    int error = arm(s, slot, timer_start, random_phase(s));
    if (error) {
        if (!os_thread_is_gone(tid))
            refuse(s, error);
        tick_slot_close(s->tick, slot);
        return NULL;
    }
    return slot;
}

static void close_slot(struct slots *s, struct tick_slot *slot)
{
    disarm(s, slot);
    if (slot->kind == TICK_OTHER)
        s->ticks[thread_role_of(slot->name)] += atomic_load(&slot->other_ticks);
    tick_slot_close(s->tick, slot);
}

static struct tick_slot *slot_of_tid(struct slots *s, int32_t tid)
{
    for (uint32_t i = 0; i < s->high; i++)
        if (atomic_load(&s->tick->slots[i].used) && s->tick->slots[i].tid == tid)
            return &s->tick->slots[i];
    return NULL;
}

/* The place in the thread's record that points to its slot. */
static struct tick_slot **place_of(const struct slots *s, const struct thread *thread)
{
    return vm_threads_slot(thread->vm, s->per_thread);
}

void slots_enter(struct slots *s, struct thread *thread)
{
    const struct vm_thread *vm = thread->vm;
    struct tick_slot pattern = {.kind = TICK_JAVA,
                                .serial = thread->serial,
                                .jni_env = vm->jni_env,
                                .java_thread = vm->java_thread};
    struct tick_slot **place = place_of(s, thread);
    if (*place || vm->is_own || !vm->tid)
        return;
    lock_take(&s->lock);
    if (!s->stopped) {
        struct tick_slot *before = slot_of_tid(s, vm->tid);
        if (before) /* slots_look() found the thread before its start event */
            close_slot(s, before);
        *place = open_slot(s, vm->tid, &pattern);
    }
    lock_give(&s->lock);
}

void slots_leave(struct slots *s, struct thread *thread)
{
    if (!s->per_thread)
        return;
    struct tick_slot **place = place_of(s, thread), *slot = *place;
    *place = NULL;
    if (!slot)
        return;
    sigset_t ours, before;
    sigemptyset(&ours);
    lock_take(&s->lock);
    sigaddset(&ours, slot->timer.signal);
    if (!s->stopped) {
        if (slot->tid == gettid()) {
            pthread_sigmask(SIG_BLOCK, &ours, &before);
            tick_settle(s->tick, slot, sigismember(&before, slot->timer.signal) == 1);
            disarm(s, slot);
            /*
             * A signal that is pending arrives here, while the slot still belongs to this thread.
             */
            pthread_sigmask(SIG_SETMASK, &before, NULL);
        }
        close_slot(s, slot);
    }
    lock_give(&s->lock);
}

void slots_turn(struct slots *s, struct thread *thread, bool is_on)
{
    lock_take(&s->lock);
    if (thread) {
        struct tick_slot *slot = *place_of(s, thread);
        if (slot)
            atomic_store(&slot->is_off, (uint32_t)!is_on);
    } else {
        s->is_off = !is_on;
        for (uint32_t i = 0; i < s->high; i++)
            atomic_store(&s->tick->slots[i].is_off, (uint32_t)!is_on);
    }
    lock_give(&s->lock);
}

/*
 * Close the slots of threads that are gone, and note in `known` which tids have a slot. `tids` is
 * sorted.
 */
static void match(struct slots *s, int32_t *tids, size_t count, unsigned char *known)
{
    for (uint32_t i = 0; i < s->high; i++) {
        struct tick_slot *slot = &s->tick->slots[i];
        if (!atomic_load(&slot->used))
            continue;
        int32_t *at = bsearch(&slot->tid, tids, count, sizeof(*tids), os_thread_order);
        if (at)
            known[at - tids] = 1;
        else if (slot->kind == TICK_OTHER) /* a Java thread's slot is closed by its end event */
            close_slot(s, slot);
    }
}

/* Give the slot another timer; the thread's time goes on. */
static void move(struct slots *s, struct tick_slot *slot)
{
    if (timer_all[slot->timer.source]->release(s->tick, slot) != 0)
        return; /* the next look tries again */
    s->armed[slot->timer.source]--;
    int error = arm(s, slot, start_again, s->interval_ns);
    if (error && !os_thread_is_gone(slot->tid))
        refuse(s, error);
}

/*
 * Move timers whose signal is no longer ours, and timers with a descriptor if descriptors are
 * short.
 */
static void move_timers(struct slots *s)
{
    bool gives_back = s->gives_back || fd_room_is_short();
    if (!s->moves_wanted && !gives_back)
        return;
    s->moves_wanted = s->gives_back = false;
    for (uint32_t i = 0; i < s->high; i++) {
        struct tick_slot *slot = &s->tick->slots[i];
        if (!atomic_load(&slot->used) || !slot->timer.is_armed)
            continue;
        if (slot->timer.signal == s->tick->signal &&
            !(gives_back && atomic_load(&slot->timer.fd) >= 0))
            continue;
        move(s, slot);
        s->moves_wanted |= slot->timer.signal != s->tick->signal;
        s->gives_back |= gives_back && atomic_load(&slot->timer.fd) >= 0;
    }
}

static void look(struct slots *s)
{
    size_t count = 0;
    int32_t *tids = os_thread_list(&count);
    unsigned char *known = tids ? calloc(count, 1) : NULL;
    if (known) {
        match(s, tids, count, known);
        for (size_t i = 0; i < count; i++) {
            struct tick_slot pattern = {.kind = TICK_OTHER};
            if (known[i] || tids[i] == s->agent_tid || agent_exempt_has(tids[i]))
                continue;
            os_thread_name(tids[i], pattern.name);
            open_slot(s, tids[i], &pattern);
        }
    }
    free(known);
    free(tids);
}

void slots_look(struct slots *s)
{
    struct stat status;
    uint64_t links = stat("/proc/self/task", &status) == 0 ? (uint64_t)status.st_nlink : 0;
    if (!lock_try(&s->lock))
        return; /* a thread starts or ends now; another look comes soon */
    if (!s->stopped) {
        move_timers(s);
        s->gaps_at = gaps_look(s->tick, s->high, s->gaps_at);
        if (links != s->task_links || ++s->looks_since_full >= FULL_LOOK_EVERY) {
            s->task_links = links;
            s->looks_since_full = 0;
            look(s);
        }
    }
    lock_give(&s->lock);
}

void slots_restart(struct slots *s)
{
    lock_take(&s->lock);
    for (uint32_t i = 0; i < s->high; i++)
        if (atomic_load(&s->tick->slots[i].used))
            gaps_end(s->tick, &s->tick->slots[i]);
    lock_give(&s->lock);
}

int slots_use_signal(struct slots *s, int signal)
{
    lock_take(&s->lock);
    int error = tick_take(s->tick, signal);
    if (!error && !s->stopped) {
        s->moves_wanted = true;
        move_timers(s);
        for (uint32_t i = 0; i < s->high; i++)
            if (atomic_load(&s->tick->slots[i].used))
                gaps_end(s->tick, &s->tick->slots[i]);
    }
    lock_give(&s->lock);
    return error;
}

/* Move the next sample so that it comes one new interval after the last sample. */
static void retime(struct slots *s, struct tick_slot *slot, uint64_t interval_ns)
{
    uint64_t leeway = slot->leeway_ns ? interval_ns / 2 : 0;
    int64_t due_ns = atomic_load(&slot->due_ns) + (int64_t)slot->leeway_ns -
                     (int64_t)slot->interval_ns + (int64_t)interval_ns,
            wait_ns = due_ns - (int64_t)os_thread_cpu_ns(slot->tid);
    if (timer_all[slot->timer.source]->release(s->tick, slot) != 0)
        /* a handler runs, which cannot happen here: the slot keeps its interval and its timer */
        return;
    s->armed[slot->timer.source]--;
    slot->interval_ns = interval_ns;
    slot->leeway_ns = leeway;
    slot->period_is_set = 0;
    slot->pace = (struct pace){0};
    atomic_store(&slot->due_ns, due_ns - (int64_t)leeway);
    int error = arm(s, slot, start_again, wait_ns > 0 ? (uint64_t)wait_ns : 1);
    if (error && !os_thread_is_gone(slot->tid))
        refuse(s, error);
}

void slots_use_interval(struct slots *s, uint64_t interval_ns)
{
    lock_take(&s->lock);
    if (!s->stopped && interval_ns != s->interval_ns) {
        s->interval_ns = interval_ns;
        for (uint32_t i = 0; i < s->high; i++)
            if (atomic_load(&s->tick->slots[i].used) && s->tick->slots[i].timer.is_armed)
                retime(s, &s->tick->slots[i], interval_ns);
    }
    lock_give(&s->lock);
}

void slots_stop(struct slots *s)
{
    lock_take(&s->lock);
    if (!s->stopped) {
        for (uint32_t i = 0; i < s->high; i++)
            if (atomic_load(&s->tick->slots[i].used))
                close_slot(s, &s->tick->slots[i]);
        s->stopped = true;
    }
    lock_give(&s->lock);
}

void slots_ticks(struct slots *s, uint64_t ret_ticks[THREAD_ROLE_COUNT])
{
    lock_take(&s->lock);
    memcpy(ret_ticks, s->ticks, sizeof(s->ticks));
    for (uint32_t i = 0; i < s->high; i++) {
        const struct tick_slot *slot = &s->tick->slots[i];
        if (atomic_load(&slot->used) && slot->kind == TICK_OTHER)
            ret_ticks[thread_role_of(slot->name)] += atomic_load(&slot->other_ticks);
    }
    lock_give(&s->lock);
}

uint32_t slots_lost(struct slots *s, uint32_t *at, uint32_t *ret_serial)
{
    uint32_t lost = 0;
    lock_take(&s->lock);
    for (; *at < s->high && !lost; ++*at) {
        struct tick_slot *slot = &s->tick->slots[*at];
        if (!atomic_load(&slot->used) || !atomic_load_explicit(&slot->lost, memory_order_relaxed))
            continue;
        lost = atomic_exchange(&slot->lost, 0);
        *ret_serial = slot->serial;
    }
    lock_give(&s->lock);
    return lost;
}
