/*
 * perf_threads.c - see perf_sampler.h.
 *
 * An event takes one descriptor, as far as fd_room.h grants it. If descriptors become short, all
 * events are closed, because the program must find as many as without the agent.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "agent/log.h"
#include "agent/names/threads.h"
#include "agent/perf/perf_sampler.h"
#include "agent/timer/fd_room.h"
#include "base/os_thread.h"

enum {
    FULL_LOOK_EVERY = 20, /* the list is read after so many laps, even if the count is the same */
    STILL_LAPS = 3,       /* an event whose overflow has had no signal for so long starts again */
    QUIET_TRIES = 100,
    QUIET_US = 100,
};

void perf_threads_init(struct perf_sampler *p)
{
    lock_init(&p->threads.lock, LOCK_SLOTS);
}

/* ---- one event */

static int direct_to(int fd, int tid, int signal)
{
    struct f_owner_ex owner = {F_OWNER_TID, tid};
    if (fcntl(fd, F_SETFL, O_ASYNC) != 0 || fcntl(fd, F_SETSIG, signal) != 0 ||
        fcntl(fd, F_SETOWN_EX, &owner) != 0)
        return -errno;
    return 0;
}

static int open_event(struct perf_sampler *p, struct counted_slot *slot)
{
    if (!fd_room_grants(p->threads.held))
        return -EMFILE;
    int fd = perf_attr_open(&p->attr, slot->tid);
    if (fd < 0)
        return fd;
    fd = fd_room_move_up(fd);
    int error = direct_to(fd, slot->tid, p->signal);
    if (!error && counted_bind(&p->counted, fd, slot) != 0)
        error = -EMFILE;
    if (error) {
        close(fd);
        return error;
    }
    slot->period = p->attr.sample_period;
    atomic_store(&slot->fd, fd);
    p->threads.held++;
    counted_go_on(&p->counted, slot);
    return 0;
}

/* Close an event that has left the slot and that no handler uses. What its counter has will be no
 * sample any more. */
static void close_event(struct perf_sampler *p, struct counted_slot *slot, int fd)
{
    if (fd >= 0) {
        p->threads.rest += counted_rest(slot, fd);
        counted_bind(&p->counted, fd, NULL);
        close(fd);
        p->threads.held--;
    }
    counted_slot_close(slot);
}

/* No handler of the slot's thread runs. */
static void close_slot(struct perf_sampler *p, struct counted_slot *slot)
{
    close_event(p, slot, atomic_exchange(&slot->fd, -1));
}

static void refuse(struct perf_sampler *p, int error)
{
    p->threads.refused++;
    p->threads.refused_error = error;
}

static void open_slot(struct perf_sampler *p, const struct counted_slot *pattern)
{
    struct counted_slot *slot = counted_slot_open(&p->counted);
    if (!slot) {
        refuse(p, -ENOMEM);
        return;
    }
    slot->serial = pattern->serial;
    slot->tid = pattern->tid;
    slot->jni_env = pattern->jni_env;
    slot->java_thread = pattern->java_thread;
    if ((uint32_t)(slot - p->counted.slots) >= p->threads.high)
        p->threads.high = (uint32_t)(slot - p->counted.slots) + 1;
    int error = open_event(p, slot);
    /* A thread that is about to end may still have its folder in /proc when the kernel finds no
     * thread of this number. */
    if (error == -ESRCH || (error && os_thread_is_gone(slot->tid)))
        counted_slot_close(slot);
    else if (error) /* it keeps the slot, so that it is counted once */
        refuse(p, error);
}

static struct counted_slot *slot_of_tid(struct perf_sampler *p, int32_t tid)
{
    for (uint32_t i = 0; i < p->threads.high; i++)
        if (atomic_load(&p->counted.slots[i].used) && p->counted.slots[i].tid == tid)
            return &p->counted.slots[i];
    return NULL;
}

/* ---- Java threads */

/* Wait until no handler uses what was looked up before. Returns whether none does. */
static bool is_quiet(void)
{
    for (int i = 0; i < QUIET_TRIES && !counted_is_quiet(); i++)
        usleep(QUIET_US);
    return counted_is_quiet();
}

/* Close a slot whose thread may be another than the calling one: its handler may be running. If it
 * runs for long, the event stays until the thread ends. */
static void close_other(struct perf_sampler *p, struct counted_slot *slot)
{
    int fd = atomic_exchange(&slot->fd, -1);
    if (is_quiet())
        close_event(p, slot, fd);
    else
        atomic_store(&slot->fd, fd);
}

void perf_threads_enter(struct perf_sampler *p, const struct thread *thread)
{
    const struct vm_thread *vm = thread->vm;
    if (vm->is_own || !vm->tid)
        return;
    lock_take(&p->threads.lock);
    struct counted_slot *before = p->threads.is_closed ? NULL : slot_of_tid(p, vm->tid);
    if (before && before->serial != thread->serial) { /* a look found it before its start event */
        close_other(p, before);
        before = slot_of_tid(p, vm->tid);
    }
    if (!p->threads.is_closed && !before)
        open_slot(p, &(struct counted_slot){.serial = thread->serial,
                                            .tid = vm->tid,
                                            .jni_env = vm->jni_env,
                                            .java_thread = vm->java_thread});
    lock_give(&p->threads.lock);
}

void perf_threads_leave(struct perf_sampler *p, const struct thread *thread)
{
    const struct vm_thread *vm = thread->vm;
    sigset_t ours, before;
    sigemptyset(&ours);
    sigaddset(&ours, p->signal);
    lock_take(&p->threads.lock);
    struct counted_slot *slot = vm->tid ? slot_of_tid(p, vm->tid) : NULL;
    if (slot && slot->tid == gettid()) {
        /* A signal that is pending when the event is closed finds no slot, and is swallowed. */
        pthread_sigmask(SIG_BLOCK, &ours, &before);
        close_slot(p, slot);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    } else if (slot) {
        close_other(p, slot);
    }
    lock_give(&p->threads.lock);
}

/* ---- all others */

static void close_all(struct perf_sampler *p)
{
    for (uint32_t i = 0; i < p->threads.high; i++)
        if (atomic_load(&p->counted.slots[i].used))
            close_slot(p, &p->counted.slots[i]);
    p->threads.is_closed = true;
}

/*
 * An event whose count has reached its period stands still until the handler has run. If its signal
 * was lost, because another handler had the signal for a while, it would stand for ever. A thread
 * that blocks the signal, or waits in the kernel, takes the signal later; to start its event again
 * does no harm. A thread whose pace is slow and that has had no sample for a lap is quick again.
 */
static void look_at(struct perf_sampler *p, struct counted_slot *slot)
{
    uint64_t taken = atomic_load(&slot->taken);
    bool is_same = taken == slot->looked;
    slot->looked = taken;
    slot->still = is_same ? slot->still + 1 : 0;
    if (is_same && atomic_load(&slot->doublings) > 0) {
        atomic_store(&slot->doublings, 0);
        counted_go_on(&p->counted, slot);
    } else if (slot->still >= STILL_LAPS &&
               counted_rest(slot, atomic_load(&slot->fd)) >= p->counted.interval) {
        slot->still = 0;
        counted_go_on(&p->counted, slot);
    }
}

/* Close the slots of threads that are gone, and note in `known` which tids have a slot. `tids` is
 * sorted. */
static void match(struct perf_sampler *p, int32_t *tids, size_t count, unsigned char *known)
{
    for (uint32_t i = 0; i < p->threads.high; i++) {
        struct counted_slot *slot = &p->counted.slots[i];
        if (!atomic_load(&slot->used))
            continue;
        int32_t *at = bsearch(&slot->tid, tids, count, sizeof(*tids), os_thread_order);
        if (at)
            known[at - tids] = 1;
        else if (os_thread_is_gone(slot->tid))
            close_slot(p, slot);
    }
}

static void look_for_others(struct perf_sampler *p)
{
    size_t count = 0;
    int32_t *tids = os_thread_list(&count);
    unsigned char *known = tids ? calloc(count, 1) : NULL;
    if (known) {
        match(p, tids, count, known);
        for (size_t i = 0; i < count; i++)
            if (!known[i] && tids[i] != gettid() && !agent_exempt_has(tids[i]))
                open_slot(p, &(struct counted_slot){.tid = tids[i]});
    }
    free(known);
    free(tids);
}

void perf_threads_look(struct perf_sampler *p)
{
    struct stat status;
    uint64_t links = stat("/proc/self/task", &status) == 0 ? (uint64_t)status.st_nlink : 0;
    if (!lock_try(&p->threads.lock))
        return; /* a thread starts or ends now; another look comes soon */
    if (!p->threads.is_closed && fd_room_is_short()) {
        counted_close();
        if (is_quiet()) {
            close_all(p);
            log_error("event=%s: file descriptors are short (ulimit -n): it is measured no more",
                      p->event.name);
        }
    }
    if (!p->threads.is_closed) {
        for (uint32_t i = 0; i < p->threads.high; i++)
            if (atomic_load(&p->counted.slots[i].used))
                look_at(p, &p->counted.slots[i]);
        if (links != p->threads.links || ++p->threads.laps >= FULL_LOOK_EVERY) {
            p->threads.links = links;
            p->threads.laps = 0;
            look_for_others(p);
        }
    }
    lock_give(&p->threads.lock);
}

void perf_threads_use_signal(struct perf_sampler *p)
{
    lock_take(&p->threads.lock);
    for (uint32_t i = 0; i < p->threads.high; i++) {
        struct counted_slot *slot = &p->counted.slots[i];
        int fd = atomic_load(&slot->used) ? atomic_load(&slot->fd) : -1;
        if (fd >= 0 && fcntl(fd, F_SETSIG, p->signal) == 0)
            counted_go_on(&p->counted,
                          slot); /* its last signal may have come to the other handler */
    }
    lock_give(&p->threads.lock);
}

uint64_t perf_threads_rest(struct perf_sampler *p)
{
    lock_take(&p->threads.lock);
    uint64_t rest = p->threads.rest;
    for (uint32_t i = 0; i < p->threads.high; i++)
        if (atomic_load(&p->counted.slots[i].used))
            rest += counted_rest(&p->counted.slots[i], atomic_load(&p->counted.slots[i].fd));
    lock_give(&p->threads.lock);
    return rest;
}

void perf_threads_stop(struct perf_sampler *p)
{
    lock_take(&p->threads.lock);
    close_all(p);
    lock_give(&p->threads.lock);
}
